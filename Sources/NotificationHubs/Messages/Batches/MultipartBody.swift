/// The body of a batch: the notification, and the devices' handles (RFC 2046 §5.1).
struct MultipartBody {
    let boundary: String
    let bytes: [UInt8]

    var contentType: String { "multipart/mixed; boundary=\"\(boundary)\"" }

    init(_ notification: PushNotification, _ channels: some Collection<PushChannel>) {
        let devices = JSONValue.array(channels.map { .string($0.handle) }).bytes
        let boundary = Self.boundary(notIn: [notification.body, devices])
        var body: [UInt8] = []
        func line(_ text: String) { body += Array(text.utf8) + [0x0d, 0x0a] }
        func part(_ contentType: String, _ name: String, _ content: [UInt8]) {
            line("--\(boundary)")
            line("Content-Type: \(contentType)")
            line("Content-Disposition: inline; name=\(name)")
            line("")
            body += content
            line("")
        }
        part(notification.contentType, "notification", notification.body)
        part("application/json", "devices", devices)
        line("--\(boundary)--")
        self.boundary = boundary
        bytes = body
    }

    private static let boundaryStart = Array("nh-boundary-".utf8)
    private static let digitCount = 8

    /// The first numbered boundary that is in none of the contents. Equal contents have equal boundaries.
    static func boundary(notIn contents: [[UInt8]]) -> String {
        var taken: Set<Int> = []
        for content in contents {
            var rest = content[...]
            while let found = rest.firstRange(of: boundaryStart) {
                rest = rest[found.upperBound...]
                if let number = Int(String(decoding: rest.prefix(digitCount), as: UTF8.self)) { taken.insert(number) }
            }
        }
        // Contents are too small to hold all the numbers.
        let number = (0...taken.count).first { !taken.contains($0) } ?? 0
        let digits = String(number)
        return String(decoding: boundaryStart, as: UTF8.self)
            + String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
    }
}
