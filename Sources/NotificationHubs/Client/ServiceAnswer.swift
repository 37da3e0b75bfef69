import HubText

/// The reason in the body of an error's response.
///
/// The service writes `<Error><Code>404</Code><Detail>…</Detail></Error>`, newer front ends
/// `{"error":{"code":…,"message":…}}` or `{"Code":…,"Detail":…}`, and intermediaries plain text, HTML or nothing.
struct ServiceAnswer: Hashable, Sendable {
    /// The code, if it is a number.
    let code: Int?
    /// The number at the start of the detail, or after `SubCode=`.
    let serviceSubcode: Int?
    let detail: String?
    /// The text after `TrackingId:` in the detail.
    let trackingID: String?
    /// Whether the hub's tier lacks the feature.
    let isAboutTier: Bool

    /// Reads as much of a body as it can.
    init(_ body: [UInt8]) {
        (code, detail) = Self.xml(body) ?? Self.json(body) ?? (nil, Self.text(body))
        let bytes = detail.map { Array($0.utf8) } ?? body
        serviceSubcode =
            Self.number(bytes[...], before: UInt8(ascii: ":")) ?? Self.number(Self.following("SubCode=", bytes))
        isAboutTier = bytes.firstRange(of: "not available for your tier".utf8) != nil
        let id = Self.following("TrackingId:", bytes).prefix { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ",") }
        trackingID = id.isEmpty ? nil : String(decoding: id, as: UTF8.self)
    }

    private static func xml(_ body: [UInt8]) -> (Int?, String?)? {
        guard let root = try? XMLReader.read(body) else { return nil }
        // `Message` is Azure Storage's.
        return (root["Code"].flatMap { Int($0.text) }, (root["Detail"] ?? root["Message"])?.text)
    }

    private static func json(_ body: [UInt8]) -> (Int?, String?)? {
        guard case .object(var object)? = try? JSONValue(parsing: body) else { return nil }
        if case .object(let error)? = object["error"] { object = error }
        func text(_ names: [String]) -> String? {
            switch names.lazy.compactMap({ object[$0] }).first {
            case .string(let text): text
            case .number(let number): number.text
            default: nil
            }
        }
        return (text(["Code", "code"]).flatMap { Int($0) }, text(["Detail", "detail", "Message", "message"]))
    }

    /// The body as plain text; `nil` for binary data and for markup, which is a page for browsers.
    private static func text(_ body: [UInt8]) -> String? {
        let text = body.prefix(4000).trimmed
        guard !text.isEmpty, text.first != UInt8(ascii: "<"),
            !text.contains(where: { $0 < 0x20 && ![0x09, 0x0a, 0x0d].contains($0) })
        else { return nil }
        return text.lossyText
    }

    /// The number of five digits at the start.
    private static func number(_ text: ArraySlice<UInt8>, before end: UInt8? = nil) -> Int? {
        let digits = text.prefix { (0x30...0x39).contains($0) }
        guard digits.count == 5, end == nil || text.dropFirst(5).first == end else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    private static func following(_ word: String, _ text: [UInt8]) -> ArraySlice<UInt8> {
        text.firstRange(of: Array(word.utf8)).map { text[$0.upperBound...] } ?? []
    }
}
