#if !canImport(Darwin)
import HubText
import NotificationHubs

/// A parser that assembles a response from the header lines and body parts that libcurl passes.
///
/// Interim responses (1xx) and trailers are skipped. libcurl reports success even if the connection closes within the head,
/// so ``response`` requires the blank line that ends the head. Newer versions pass an incomplete line then.
struct ResponseReader {
    /// The longest head to read, in bytes, including interim responses.
    static let maximumHeadByteCount = 64 << 10

    /// The largest number of fields in a head. Combining fields takes quadratic time.
    static let maximumFieldCount = 1000

    private let maximumBodyByteCount: Int
    private var status = 0
    private var isHeadComplete = false
    private var headByteCount = 0
    private var fields: [(name: String, value: String)] = []
    private var body: [UInt8] = []

    /// The error message if a limit was exceeded.
    private(set) var exceededLimit: String?

    init(maximumBodyByteCount: Int) {
        self.maximumBodyByteCount = maximumBodyByteCount
    }

    /// Whether the head of a final response is complete.
    var hasFinalHead: Bool { isHeadComplete && status >= 200 }

    /// The response, or `nil` if the head of a final response is incomplete.
    var response: HubResponse? {
        guard hasFinalHead else { return nil }
        return HubResponse(status: status, headers: HubHeaders(fields), body: body)
    }

    /// Reads a line of a head or of trailers, including the line break.
    ///
    /// - Returns: Whether to continue.
    mutating func readLine(_ line: some RandomAccessCollection<UInt8>) -> Bool {
        if hasFinalHead { return true }  // A trailer.
        headByteCount += line.count
        guard headByteCount <= Self.maximumHeadByteCount else {
            exceededLimit = "the response head has more than \(Self.maximumHeadByteCount) bytes"
            return false
        }
        if line.starts(with: "HTTP/".utf8) {
            status = Self.status(line)
            isHeadComplete = false
            fields = []
        } else if line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") {
            isHeadComplete = line.last == UInt8(ascii: "\n")
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let name = String(decoding: line[..<colon], as: UTF8.self)
            let value = String(decoding: line[line.index(after: colon)...].trimmed, as: UTF8.self)
            fields.append((name, value))
            guard fields.count <= Self.maximumFieldCount else {
                exceededLimit = "the response head has more than \(Self.maximumFieldCount) fields"
                return false
            }
        }
        return true
    }

    /// Reads a part of the body.
    ///
    /// - Returns: Whether to continue.
    mutating func readBody(_ part: some Collection<UInt8>) -> Bool {
        guard body.count + part.count <= maximumBodyByteCount else {
            exceededLimit = "the response body has more than \(maximumBodyByteCount) bytes"
            return false
        }
        body.append(contentsOf: part)
        return true
    }

    /// Returns the status code of a status line (RFC 9112 §4), or 0 if it is malformed.
    private static func status(_ line: some Collection<UInt8>) -> Int {
        let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix { $0.isASCIIDigit }
        return digits.count == 3 ? digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } : 0
    }
}
#endif
