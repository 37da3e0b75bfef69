/// A device's template, filled with a message's values as the emulator delivers it.
package enum TemplatePreview: Hashable, Sendable {
    /// The filled body, and the properties that neither the message nor the device supplies and that have no default, sorted.
    case filled(body: String, missingNames: [String])
    /// The filled body exceeds the emulator's limit.
    case tooLong
    /// The template is invalid.
    case invalid(reason: String)

    /// Fills a template.
    ///
    /// - Parameters:
    ///   - values: The message's values.
    ///   - pushVariables: The device's values for names that the message lacks.
    package init(
        _ template: Installation.Template, on platform: PushPlatform, values: [String: String],
        pushVariables: [String: String]
    ) {
        let parsed: MessageTemplate
        do {
            let kind = MessageTemplate.Kind(platform, headers: template.headers, body: template.body)
            parsed = try MessageTemplate(template.body, kind)
        } catch {
            self = .invalid(reason: error.reason)
            return
        }
        let (values, variables) = (TemplateValues(values), TemplateValues(pushVariables))
        var missingNames: Set<String> = []
        let body = parsed.filled { name in
            if let text = values[name] ?? variables[name] { return text }
            if !parsed.defaultedNames.contains(name) { missingNames.insert(parsed.writtenNames[name] ?? name) }
            return nil
        }
        self = body.map { .filled(body: $0, missingNames: missingNames.sorted()) } ?? .tooLong
    }
}
