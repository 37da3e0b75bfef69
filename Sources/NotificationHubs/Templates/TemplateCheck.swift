import HubText

/// A template, filled with a message's values or with samples, and checked as the notification that it becomes.
package struct TemplateCheck {
    private let platform: PushPlatform
    private let template: Installation.Template
    /// The values of the message; `nil` for samples.
    private let values: TemplateValues?
    private let pushVariables: TemplateValues
    /// The headers of the message.
    private let messageHeaders: [String: String]
    /// The problems.
    package private(set) var problems: [PlatformProblem] = []
    /// The names of the properties that the template uses, in lowercase.
    package private(set) var names: Set<String> = []

    /// Checks a template.
    ///
    /// - Parameters:
    ///   - template: The template.
    ///   - platform: The device's platform.
    ///   - message: The template message; `nil` to check the template with samples.
    ///   - pushVariables: The device's values for names that the message lacks.
    package init(
        _ template: Installation.Template, on platform: PushPlatform, message: PushNotification? = nil,
        pushVariables: [String: String] = [:]
    ) {
        (self.template, self.platform) = (template, platform)
        values = message.map { TemplateValues($0.templateValues) }
        self.pushVariables = TemplateValues(pushVariables)
        messageHeaders = message?.headers(for: platform) ?? [:]
        checkHeaders()
        let kind = MessageTemplate.Kind(platform, headers: template.headers, body: template.body)
        checkExpressions(kind)
        guard problems.allSatisfy({ $0.severity == .warning }) else { return }
        do {
            check(try MessageTemplate(template.body, kind))
        } catch {
            fail("", error.reason, "correct the template")
        }
    }

    // MARK: Expressions

    private mutating func checkHeaders() {
        for (name, value) in template.headers.sorted(by: { $0.key < $1.key }) { check(value, at: name, isBody: false) }
    }

    /// Checks the strings of the body that can be expressions.
    private mutating func checkExpressions(_ kind: MessageTemplate.Kind) {
        switch kind {
        case .json:
            guard let json = try? JSONValue(parsing: template.body.utf8) else { return }
            check(json, at: "")
        case .xml:
            guard let root = try? XMLReader.read(Array(template.body.utf8)) else { return }
            check(root, at: root.name)
        case .text: check(template.body, at: "")
        }
    }

    private mutating func check(_ json: JSONValue, at path: String) {
        switch json {
        case .string(let text): check(text, at: path)
        case .array(let values):
            for (index, value) in values.enumerated() { check(value, at: "\(path)[\(index)]") }
        case .object(let object):
            for member in object.members {
                let name = member.name.escapedForDisplay
                let path = path.isEmpty ? name : "\(path).\(name)"
                if member.name.isMixed {
                    warn(path, "the name of a member is not filled", "use $(…) only as a value")
                }
                check(member.value, at: path)
            }
        case .null, .bool, .number: break
        }
    }

    private mutating func check(_ element: XMLElement, at path: String) {
        for (name, value) in element.attributes.sorted(by: { $0.key < $1.key }) {
            check(value, at: "\(path).\(name.escapedForDisplay)")
        }
        if element.children.isEmpty { check(element.text, at: path) }
        for child in element.children { check(child, at: "\(path).\(child.name.escapedForDisplay)") }
    }

    /// Checks a value that can be an expression (Microsoft, "Templates": an expression is an entire value).
    private mutating func check(_ value: String, at path: String, isBody: Bool = true) {
        do {
            guard try TemplateExpression(value: value) == nil else { return }
            if value.isMixed {
                warn(path, "text and $(…) in one value arrive literally", "write \(value.asExpression)")
            } else if let name = value.bareName {
                warn(path, "$\(name) arrives literally", "write \(value.asExpression)")
            }
        } catch {
            let first = value.prefix(1)
            fail(
                path, "\(first) starts an expression, which is invalid: \(error.reason)", "write \(value.asExpression)")
        }
    }

    private mutating func fail(_ path: String, _ text: String, _ remedy: String) {
        add(.rejectedByHub, path, text, remedy)
    }

    private mutating func warn(_ path: String, _ text: String, _ remedy: String) { add(.ignored, path, text, remedy) }

    private mutating func add(
        _ effect: PlatformProblem.Effect, _ path: String, _ text: String, _ remedy: String
    ) {
        var added = PlatformProblems(platform)
        added.add(effect, path, text, remedy, .invalidTemplate)
        problems += added.all
    }

    // MARK: The filled template

    private mutating func check(_ parsed: MessageTemplate) {
        var expressions = parsed.parts.flatMap(\.properties)
        for value in template.headers.values {
            expressions += ((try? TemplateExpression(value: value)) ?? nil)?.properties ?? []
        }
        names = Set(expressions.map(\.name))
        let numbers = Set(expressions.filter { $0.function == .number }.map(\.name))
        func value(_ name: String) -> String? {
            guard let values else {
                return pushVariables[name] ?? (numbers.contains(name) ? "1" : String.templateSample)
            }
            return values[name] ?? pushVariables[name]
        }
        if values != nil {
            let missing = names.filter { value($0) == nil && !parsed.defaultedNames.contains($0) }
            for name in missing.sorted() {
                warn(name, "the message lacks the property, so its text is empty", "add a value for \(name)")
            }
        }
        guard let body = parsed.filled(value) else {
            add(
                .notShown, "", "the filled template has more than \(MessageTemplate.maximumByteCount) bytes",
                "shorten it")
            return
        }
        let headers = template.headers.mapValues { text in
            ((try? TemplateExpression(value: text)) ?? nil)?.text(value) ?? text
        }
        let all = headers.overriding(messageHeaders)
        problems += platform.problems(body: Array(body.utf8), headers: all)
    }
}

extension [String: String] {
    /// Returns a template's headers with those of the message that the template does not have.
    ///
    /// It is an assumption that a template's own headers replace those of the message: Microsoft documents both, but not which
    /// of them wins.
    package func overriding(_ others: [String: String]) -> [String: String] {
        let names = Set(keys.map { $0.lowercased() })
        return merging(others.filter { !names.contains($0.key.lowercased()) }) { own, _ in own }
    }
}

extension TemplateExpression {
    /// The properties in the expression.
    var properties: [Property] {
        terms.compactMap { if case .property(let property) = $0 { property } else { nil } }
    }
}

extension String {
    /// A value for a property whose value is not known. Rules about a text's content accept every text that contains it.
    static let templateSample = "\u{e000}"

    /// Whether the text contains a sample.
    var isTemplateSample: Bool { utf8.count >= 3 && unicodeScalars.contains("\u{e000}") }

    /// Whether the text contains a reference to a property such as `$(name)`.
    fileprivate var isMixed: Bool {
        segments.contains { if case .reference(let text) = $0 { text.utf8.first == UInt8(ascii: "$") } else { false } }
    }

    /// The name in `$name`, if the text has one; `nil` otherwise.
    fileprivate var bareName: String? {
        var rest = unicodeScalars[...]
        while let dollar = rest.firstIndex(of: "$") {
            rest = rest[rest.index(after: dollar)...]
            let name = rest.prefix { Self.isNameScalar($0) }
            if let first = name.first, first.properties.isAlphabetic { return String(name) }
        }
        return nil
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }

    /// A part of a text that mixes literals and references.
    private enum Segment {
        case literal(String)
        case reference(String)
    }

    private var segments: [Segment] {
        var segments: [Segment] = []
        var literal = ""
        var rest = unicodeScalars[...]
        while let scalar = rest.first {
            let after = rest.index(after: rest.startIndex)
            if "$.%#".unicodeScalars.contains(scalar), rest[after...].first == "(",
                let end = rest.firstIndex(of: ")"), case let reference = String(rest[...end]),
                (try? TemplateExpression(value: reference)) != nil
            {
                if !literal.isEmpty { segments.append(.literal(literal)) }
                literal = ""
                segments.append(.reference(reference))
                rest = rest[rest.index(after: end)...]
            } else {
                literal.unicodeScalars.append(scalar)
                rest = rest[after...]
            }
        }
        return literal.isEmpty ? segments : segments + [.literal(literal)]
    }

    /// The expression that yields the text, with its references filled, such as `{'Hello, ' + $(name)}`.
    fileprivate var asExpression: String {
        // `$name` was probably meant as a reference.
        var text = self
        if !isMixed, let name = bareName, let range = text.firstRange(of: "$\(name)") {
            text.replaceSubrange(range, with: "$(\(name))")
        }
        let terms = text.segments.map { segment in
            switch segment {
            case .literal(let text): "'" + text.replacing("'", with: "''") + "'"
            case .reference(let text): text
            }
        }
        return terms.count == 1 && terms[0].utf8.first != UInt8(ascii: "'")
            ? terms[0] : "{" + terms.joined(separator: " + ") + "}"
    }
}

extension Installation.Template {
    /// Returns what the platform will refuse or ignore in the notifications that the template yields.
    ///
    /// ```swift
    /// let problems = template.problems(on: .fcmV1)
    /// ```
    ///
    /// Without a message, the template is filled with samples: check it before it is stored. With a message, it is filled with the
    /// message's values, and properties that only one of the two has are also problems: check it before the message is sent.
    ///
    /// - Parameters:
    ///   - platform: The device's platform.
    ///   - message: A template message, whose headers also apply.
    ///   - pushVariables: The device's values for names that the message lacks.
    public func problems(
        on platform: PushPlatform, message: PushNotification? = nil, pushVariables: [String: String] = [:]
    ) -> [PlatformProblem] {
        let check = TemplateCheck(self, on: platform, message: message, pushVariables: pushVariables)
        guard let message else { return check.problems }
        let unused = PlatformProblem.unused(message.templateValues, by: check.names, on: platform)
        return check.problems + unused
    }
}

extension PlatformProblem {
    /// Returns a warning for each of a message's values that no template uses.
    package static func unused(
        _ values: [String: String], by names: Set<String>, on platform: PushPlatform
    ) -> [PlatformProblem] {
        var problems = PlatformProblems(platform)
        for name in values.keys.sorted() where !names.contains(name.lowercased()) {
            problems.warn(name.escapedForDisplay, "no template uses the property", "rename or remove it")
        }
        return problems.all
    }
}

extension Installation {
    /// Returns the problems of the installation's templates, by the template's name, without those that have none.
    ///
    /// - Parameter message: A template message, as in ``Template/problems(on:message:pushVariables:)``.
    public func templateProblems(for message: PushNotification? = nil) -> [Template.Name: [PlatformProblem]] {
        templates.mapValues {
            $0.problems(on: pushChannel.platform, message: message, pushVariables: pushVariables)
        }.filter { !$0.value.isEmpty }
    }
}

extension Registration {
    /// Returns the problems of the registration's template, as ``Installation/Template/problems(on:message:pushVariables:)``.
    public func templateProblems(for message: PushNotification? = nil) -> [PlatformProblem] {
        template?.content.problems(on: pushChannel.platform, message: message, pushVariables: pushVariables) ?? []
    }
}

extension Registration.Template {
    /// The template as that of an installation.
    package var content: Installation.Template {
        var content = Installation.Template(body: body, headers: headers, expiry: expiry)
        if let priority { content.headers["apns-priority"] = priority }
        return content
    }
}
