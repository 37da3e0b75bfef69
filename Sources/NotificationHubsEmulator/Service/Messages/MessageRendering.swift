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
    private var missingNames: [String: String] = [:]
    /// The problems that the platforms have with the notifications.
    private var problems: [PlatformProblem] = []
    /// The last check. Most recipients get the same body.
    private var lastCheck: (platform: PushPlatform, headers: [String: String], body: String, isRefused: Bool)?

    private struct TemplateSource: Hashable {
        let body: ByteString
        let kind: MessageTemplate.Kind
    }

    init(_ message: Message) {
        self.message = message
        values = TemplateValues(message.values)
    }

    /// Returns the headers and the body for a recipient; `nil` if its filled template is too long.
    mutating func content(for recipient: Recipient) -> (headers: [String: String], body: String)? {
        guard let template = recipient.template?.content else { return (message.headers, message.body) }
        let platform = recipient.channel.platform
        guard let parts = parsed(template, for: platform) else { return nil }
        let pushVariables = TemplateValues(recipient.pushVariables)
        func value(_ name: String) -> String? {
            usedNames.insert(name)
            if let text = values[name] ?? pushVariables[name] { return text }
            if !parts.defaultedNames.contains(name) { missingNames[name] = parts.writtenNames[name] ?? name }
            return nil
        }
        guard let body = parts.filled(value), let headers = Self.headers(of: template, for: platform, value) else {
            return nil
        }
        return (message.headers.isEmpty ? headers : headers.overriding(message.headers(for: platform)), body)
    }

    /// Returns the parsed template; `nil` if it is invalid. The hub rejects invalid templates when they are stored.
    private mutating func parsed(_ template: Installation.Template, for platform: PushPlatform) -> MessageTemplate? {
        let source = TemplateSource(
            body: ByteString(template.body), kind: .init(platform, headers: template.headers, body: template.body))
        if let parts = templates[source] { return parts }
        let parts = try? MessageTemplate(template.body, source.kind)
        templates[source] = parts
        return parts
    }

    /// Returns whether a platform refuses a notification.
    mutating func isRefused(_ body: String, _ headers: [String: String], by platform: PushPlatform) -> Bool {
        if let lastCheck, lastCheck.platform == platform, lastCheck.body.hasSameBytes(as: body),
            lastCheck.headers.hasSameBytes(as: headers)
        {
            return lastCheck.isRefused
        }
        let found = platform.problems(body: Array(body.utf8), headers: headers)
        if problems.count < Self.maximumProblemCount {
            problems += found.filter { !problems.contains($0) }.prefix(Self.maximumProblemCount - problems.count)
        }
        let isRefused = found.contains { $0.effect == .refused }
        lastCheck = (platform, headers, body, isRefused)
        return isRefused
    }

    /// The maximum number of problems in the warnings. A body of 64 KB can have thousands.
    private static let maximumProblemCount = 20

    /// The warnings about the contents that were returned.
    var warnings: [String] {
        var warnings = problems.map(\.summary)
        if templates.isEmpty { return warnings }
        let unusedNames = values.names(except: usedNames)
        if !missingNames.isEmpty {
            warnings.append("the message lacks properties of the templates: \(Self.list(missingNames.values))")
        }
        if !unusedNames.isEmpty {
            warnings.append("no template of the recipients uses the properties: \(Self.list(unusedNames))")
        }
        return warnings
    }

    /// Returns names for a warning, in order.
    private static func list(_ names: some Collection<String>) -> String {
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
