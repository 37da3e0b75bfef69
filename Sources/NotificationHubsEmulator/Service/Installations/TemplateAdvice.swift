import NotificationHubs

/// The warnings about devices' templates. Most devices share a few of them, so each is checked once.
struct TemplateAdvice: Sendable {
    private struct Source: Hashable {
        let platform: PushPlatform
        let body: String
        let headers: [String: String]

        var byteCount: Int { body.utf8.count + headers.byteCount }
    }

    private var warnings: [Source: [String]] = [:]

    /// The maximum numbers of templates to remember, and of bytes of each.
    private static let maximumCount = 256
    private static let maximumByteCount = 2048

    /// The maximum number of warnings about a template.
    private static let maximumWarningCount = 10

    /// Returns the parts of a template that its platform will refuse or ignore, one text each.
    mutating func warnings(about template: Installation.Template, on platform: PushPlatform) -> [String] {
        let source = Source(platform: platform, body: template.body, headers: template.headers)
        guard source.byteCount <= Self.maximumByteCount else { return Self.find(in: template, on: platform) }
        if let known = warnings[source] { return known }
        let found = Self.find(in: template, on: platform)
        if warnings.count == Self.maximumCount { warnings.removeAll() }
        warnings[source] = found
        return found
    }

    private static func find(in template: Installation.Template, on platform: PushPlatform) -> [String] {
        template.problems(on: platform).prefix(maximumWarningCount).map(\.summary)
    }
}
