import HubText
import NotificationHubs

/// Reads a request's body, by its length or in chunks (RFC 9112 §6 and §7).
struct HTTPBody {
    /// What has come in, decoded.
    private(set) var bytes: [UInt8] = []
    private var part: Part
    private var trailers = HTTPFieldLines()

    private enum Part {
        /// Bytes of the body, so many more.
        case data(Int)
        case chunkLine
        /// Bytes of a chunk, so many more.
        case chunk(Int)
        case chunkEnd
        case trailers
        case end
    }

    /// How long the line before a chunk may be.
    private static let chunkLineByteCount = 256

    /// The body that headers speak of.
    init(_ headers: HubHeaders, isHTTP11: Bool, _ limits: HTTPLimits) throws(HTTPRequestError) {
        let length = headers["Content-Length"]
        guard let coding = headers["Transfer-Encoding"] else {
            part = .data(0)
            if let length { part = .data(try Self.byteCount(length, radix: 10, atMost: limits.bodyByteCount)) }
            return
        }
        // Who goes by the one finds another end of the request than who goes by the other.
        guard length == nil else { throw .malformed("Content-Length and Transfer-Encoding exclude each other") }
        guard isHTTP11 else { throw .malformed("HTTP/1.0 has no Transfer-Encoding") }
        guard coding.utf8.isWord("chunked") else {
            throw HTTPRequestError(status: 501, reason: "the only Transfer-Encoding here is chunked")
        }
        part = .chunkLine
    }

    /// Reads on.
    ///
    /// - Returns: whether the body is whole.
    mutating func read(_ input: inout HTTPInput, _ limits: HTTPLimits) throws(HTTPRequestError) -> Bool {
        while true {
            switch part {
            case .data(let count):
                guard take(count, &input) else { return false }
                part = .end
            case .chunkLine:
                guard let line = try input.line(atMost: Self.chunkLineByteCount, status: 400) else { return false }
                let count = try Self.chunkByteCount(line, atMost: limits.bodyByteCount - bytes.count)
                part = count > 0 ? .chunk(count) : .trailers
            case .chunk(let count):
                guard take(count, &input) else { return false }
                part = .chunkEnd
            case .chunkEnd:
                guard let line = try input.line(atMost: 2, status: 400) else { return false }
                guard line.isEmpty else { throw .malformed("a chunk is longer than it says") }
                part = .chunkLine
            case .trailers:
                guard let line = try trailers.line(&input, limits) else { return false }
                // Looked at and left: what they say comes too late to be heeded.
                if line.isEmpty { part = .end } else { try trailers.append(line, limits) }
            case .end:
                return true
            }
        }
    }

    /// Takes what there is of so many bytes.
    ///
    /// - Returns: whether that was all.
    private mutating func take(_ count: Int, _ input: inout HTTPInput) -> Bool {
        let taken = input.take(count)
        bytes += taken
        switch part {
        case .data: part = .data(count - taken.count)
        default: part = .chunk(count - taken.count)
        }
        return taken.count == count
    }

    private static func chunkByteCount(
        _ line: ArraySlice<UInt8>, atMost maximum: Int
    ) throws(HTTPRequestError) -> Int {
        let size = line.prefix { $0 != UInt8(ascii: ";") }
        guard let size = String(strictUTF8: size), let all = String(strictUTF8: line), HubHeaders.isValue(all) else {
            throw .malformed("a chunk's line is not UTF-8 without control characters")
        }
        return try byteCount(size, radix: 16, atMost: maximum)
    }

    private static func byteCount(
        _ digits: String, radix: Int, atMost maximum: Int
    ) throws(HTTPRequestError) -> Int {
        let isDigit = { (byte: UInt8) in byte.hexDigitValue.map { $0 < radix } ?? false }
        guard !digits.isEmpty, digits.utf8.allSatisfy(isDigit) else { throw .malformed("a length is no number") }
        guard let count = Int(digits, radix: radix), count <= maximum else {
            throw HTTPRequestError(status: 413, reason: "the body is longer than may be")
        }
        return count
    }
}
