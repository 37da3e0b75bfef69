import HubText

/// A route of the backend.
enum Route {
    case registrationIDs
    case registration(String)
    case notifications
    case notification(String)
    case installation(String)

    /// Creates the route of a path, or returns `nil` for an unknown one.
    ///
    /// Each segment is decoded once. A decoded segment must be UTF-8 without slashes, backslashes and ASCII control characters,
    /// and must not consist only of `.`.
    ///
    /// - Parameter path: The path, percent-encoded.
    init?(path: String) {
        var segments: [String] = []
        for segment in Substring(path).utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst()
        {
            guard let text = Self.decoded(segment) else { return nil }
            segments.append(text)
        }
        // Comparing a word with many combining marks would take quadratic time.
        guard path.utf8.first == UInt8(ascii: "/"), (2...3).contains(segments.count),
            segments.prefix(2).allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }), segments[0] == "api"
        else { return nil }
        switch (segments[1], segments.count == 3 ? segments[2] : nil) {
        case ("register", nil): self = .registrationIDs
        case ("register", let id?): self = .registration(id)
        case ("notifications", nil): self = .notifications
        case ("notifications", let id?): self = .notification(id)
        case ("installations", let id?): self = .installation(id)
        default: return nil
        }
    }

    private static func decoded(_ segment: Substring.UTF8View) -> String? {
        let decoded = PercentDecoded(segment)
        let bytes = decoded.bytes
        guard !decoded.hasInvalidEscape, let text = String(strictUTF8: bytes),
            !bytes.allSatisfy({ $0 == UInt8(ascii: ".") }),
            !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
        else { return nil }
        return text
    }

    /// The path, with IDs replaced by `{id}`.
    var template: String {
        switch self {
        case .registrationIDs: "/api/register"
        case .registration: "/api/register/{id}"
        case .notifications: "/api/notifications"
        case .notification: "/api/notifications/{id}"
        case .installation: "/api/installations/{id}"
        }
    }

    /// The value of the `Allow` header.
    var allowed: String { (methods + ["OPTIONS"]).joined(separator: ", ") }

    func allows(_ method: String) -> Bool { methods.contains(method) }

    private var methods: [String] {
        switch self {
        case .registrationIDs, .notifications: ["POST"]
        case .registration, .installation: ["PUT", "DELETE"]
        case .notification: ["GET", "HEAD"]
        }
    }
}
