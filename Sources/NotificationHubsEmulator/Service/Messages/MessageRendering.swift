import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The content of a message for each of its recipients, and what is wrong with it.
struct MessageRendering {
    private let message: Message
    private let values: TemplateValues
    /// The parsed templates. Most devices share a few of them.
    private var templates: [TemplateSource: MessageTemplate] = [:]
    private var usedNames: Set<String> = []
    private var missingNames: Set<String> = []
    /// The reasons for which Apple or Firebase rejects the message, or its devices show nothing.
    private var problems: [String] = []
    private var firebase = FCMPayload.Checks()

    private struct TemplateSource: Hashable {
        let body: String
        let kind: MessageTemplate.Kind
    }

    init(_ message: Message) {
        self.message = message
        values = TemplateValues(message.values)
        if message.format.platform == .apple {
            problems = ApplePayload.problems(body: message.body, headers: message.headers)
        }
    }

    /// Returns the headers and the body for a recipient; `nil` if its filled template is too long.
    mutating func content(for recipient: Recipient) -> (headers: [String: String], body: String)? {
        guard let template = recipient.template?.content else { return (message.headers, message.body) }
        let platform = recipient.channel.platform
        let source = TemplateSource(
            body: template.body, kind: .init(platform, headers: template.headers, body: template.body))
        // An invalid template was rejected when it was stored.
        guard let parts = templates[source] ?? (try? MessageTemplate(source.body, source.kind)) else { return nil }
        let isFirst = templates.updateValue(parts, forKey: source) == nil
        let pushVariables = TemplateValues(recipient.pushVariables)
        func value(_ name: String) -> String? {
            usedNames.insert(name)
            if let text = values[name] ?? pushVariables[name] { return text }
            if !parts.defaultedNames.contains(name) { missingNames.insert(name) }
            return nil
        }
        guard let body = parts.filled(value), let headers = Self.headers(of: template, for: platform, value) else {
            return nil
        }
        if isFirst, platform == .apple, problems.isEmpty {
            problems = ApplePayload.problems(body: body, headers: headers)
        }
        return (headers, body)
    }

    /// Returns whether a platform refuses a body.
    mutating func isRefused(_ body: String, by platform: PushPlatform) -> Bool {
        guard platform == .fcmV1, let problem = firebase.problem(body: body) else { return false }
        if !problems.contains(problem) { problems.append(problem) }
        return true
    }

    /// The warnings about the contents that were returned.
    var warnings: [String] {
        var warnings = problems
        if templates.isEmpty { return warnings }
        let unusedNames = values.names.subtracting(usedNames)
        if !missingNames.isEmpty {
            warnings.append("the message lacks properties of the templates: \(Self.list(missingNames))")
        }
        if !unusedNames.isEmpty {
            warnings.append("no template of the recipients uses the properties: \(Self.list(unusedNames))")
        }
        return warnings
    }

    /// Returns names for a warning, in order.
    private static func list(_ names: Set<String>) -> String {
        names.sorted().prefix(10).joined(separator: ", ") + (names.count > 10 ? " and \(names.count - 10) more" : "")
    }

    /// Returns a template's filled headers, including an Apple template's expiry; `nil` if they are too long.
    private static func headers(
        of template: Installation.Template, for platform: PushPlatform, _ value: (String) -> String?
    ) -> [String: String]? {
        func filled(_ text: String) -> String {
            // An invalid expression was rejected when the template was stored.
            let expression = (try? TemplateExpression(value: text)) ?? nil
            return expression?.text(value) ?? text
        }
        var headers: [String: String] = [:]
        var byteCount = 0
        for (name, text) in template.headers {
            let value = filled(text)
            byteCount += value.utf8.count
            guard byteCount <= MessageTemplate.maximumByteCount else { return nil }
            // The message's values may contain line breaks, which a header must not.
            if HTTPFields.isValue(value) { headers[name] = value }
        }
        if platform == .apple, let expiry = template.expiry, let time = Timestamp(filled(expiry.rawValue)) {
            headers["apns-expiration"] = String(Int64(time.date.timeIntervalSince1970))
        }
        return headers
    }
}
