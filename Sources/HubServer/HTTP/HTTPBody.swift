import HubText

/// A parser for a request body with a declared length or in chunks (RFC 9112 §6 and §7).
struct HTTPBody {
    /// The decoded bytes received so far.
    private(set) var bytes: [UInt8] = []
    private var part: Part
    private var trailers = HTTPFieldLines()

    private enum Part {
        /// The given number of body bytes remain.
        case data(Int)
        case chunkLine
        /// The given number of bytes of a chunk remain.
        case chunk(Int)
        case chunkEnd
        case trailers
        case end
    }

    /// The maximum length of a chunk's size line.
    private static let maximumChunkLineByteCount = 256

    /// Creates a parser for the body that the headers describe.
    init(_ headers: HTTPFields, isHTTP11: Bool, _ limits: HTTPLimits) throws(HTTPRequestError) {
        let length = headers["Content-Length"]
        guard let coding = headers["Transfer-Encoding"] else {
            part = .data(0)
            if let length { part = .data(try Self.byteCount(length, radix: 10, limits)) }
            return
        }
        // Accepting both allows request smuggling (RFC 9112 §6.1).
        guard length == nil else { throw .malformed("Content-Length and Transfer-Encoding are mutually exclusive") }
        guard isHTTP11 else { throw .malformed("unsupported Transfer-Encoding in HTTP/1.0") }
        guard coding.utf8.isEqual(ignoringCase: "chunked") else {
            throw HTTPRequestError(status: 501, reason: "unsupported Transfer-Encoding: expected chunked")
        }
        part = .chunkLine
    }

    /// Consumes available input.
    ///
    /// - Returns: Whether the body is complete.
    mutating func read(_ input: inout HTTPInput, _ limits: HTTPLimits) throws(HTTPRequestError) -> Bool {
        while true {
            switch part {
            case .data(let count):
                guard take(count, &input) else { return false }
                part = .end
            case .chunkLine:
                guard let line = try input.line(atMost: Self.maximumChunkLineByteCount, status: 400) else {
                    return false
                }
                let count = try Self.chunkByteCount(line, after: bytes.count, limits)
                part = count > 0 ? .chunk(count) : .trailers
            case .chunk(let count):
                guard take(count, &input) else { return false }
                part = .chunkEnd
            case .chunkEnd:
                guard let line = try input.line(atMost: 2, status: 400) else { return false }
                guard line.isEmpty else { throw .malformed("chunk longer than its declared size") }
                part = .chunkLine
            case .trailers:
                guard let line = try trailers.line(&input, limits) else { return false }
                // Trailers are validated and ignored.
                if line.isEmpty { part = .end } else { try trailers.append(line, limits) }
            case .end:
                return true
            }
        }
    }

    /// Consumes up to the given number of bytes.
    ///
    /// - Returns: Whether all of them were available.
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
        _ line: ArraySlice<UInt8>, after readCount: Int, _ limits: HTTPLimits
    ) throws(HTTPRequestError) -> Int {
        let size = line.prefix { $0 != UInt8(ascii: ";") }
        guard let size = String(strictUTF8: size), let all = String(strictUTF8: line), HTTPFields.isValue(all) else {
            throw .malformed("invalid chunk size line: expected UTF-8 without control characters")
        }
        return try byteCount(size, radix: 16, after: readCount, limits)
    }

    private static func byteCount(
        _ digits: String, radix: Int, after readCount: Int = 0, _ limits: HTTPLimits
    ) throws(HTTPRequestError) -> Int {
        let isDigit = { (byte: UInt8) in byte.hexDigitValue.map { $0 < radix } ?? false }
        guard !digits.isEmpty, digits.utf8.allSatisfy(isDigit) else { throw .malformed("invalid body length") }
        guard let count = Int(digits, radix: radix), count <= limits.bodyByteCount - readCount else {
            throw HTTPRequestError(status: 413, reason: "body longer than \(limits.bodyByteCount) bytes")
        }
        return count
    }
}
