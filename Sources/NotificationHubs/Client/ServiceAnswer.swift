/// What the body of an error's response says: `<Error><Code>404</Code><Detail>…</Detail></Error>` as a rule, and nothing that is
/// to be relied on.
struct ServiceAnswer: Hashable, Sendable {
    /// The text of `Code`, if it is a number.
    let code: Int?
    /// The number that the detail begins with, or has behind `SubCode=`.
    let serviceSubcode: Int?
    let detail: String?
    /// What the detail has behind `TrackingId:`.
    let trackingID: String?
    /// Whether the hub's tier is what stands in the way.
    let isAboutTier: Bool

    /// Reads a body, and does without where it cannot.
    init(_ body: [UInt8]) {
        let root = try? XMLReader.read(body)
        // `Message` is Azure Storage's.
        detail = (root?["Detail"] ?? root?["Message"])?.text
        code = root?["Code"].flatMap { Int($0.text) }
        let bytes = detail.map { Array($0.utf8) } ?? body
        serviceSubcode =
            Self.number(bytes[...], before: UInt8(ascii: ":")) ?? Self.number(Self.behind("SubCode=", bytes))
        isAboutTier = bytes.firstRange(of: "not available for your tier".utf8) != nil
        let id = Self.behind("TrackingId:", bytes).prefix { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ",") }
        trackingID = id.isEmpty ? nil : String(decoding: id, as: UTF8.self)
    }

    /// A number of five digits at the beginning.
    private static func number(_ text: ArraySlice<UInt8>, before end: UInt8? = nil) -> Int? {
        let digits = text.prefix { (0x30...0x39).contains($0) }
        guard digits.count == 5, end == nil || text.dropFirst(5).first == end else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    private static func behind(_ word: String, _ text: [UInt8]) -> ArraySlice<UInt8> {
        text.firstRange(of: Array(word.utf8)).map { text[$0.upperBound...] } ?? []
    }
}
