import HubText
import NotificationHubs

/// The bytes of a connection that have come in and have not been read yet.
struct HTTPInput {
    private var bytes: [UInt8] = []
    private var start = 0
    /// Up to where no line feed is.
    private var searched = 0

    /// How many there are.
    var count: Int { bytes.count - start }

    /// The next one.
    var first: UInt8? { bytes[start...].first }

    mutating func append(_ new: [UInt8]) {
        // Not with every request, so that many small ones in one piece cost no more than one by one.
        if start > 16_384 || start == bytes.count {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes += new
    }

    /// The next bytes, at most so many as there are.
    mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        let taken = bytes[start...].prefix(count)
        start = taken.endIndex
        searched = start
        return taken
    }

    /// The next line without its end, or `nil` as long as that has not come in.
    ///
    /// - Parameters:
    ///   - byteCount: how long it may be, its end counted.
    ///   - status: of the error if it is longer.
    mutating func line(atMost byteCount: Int, status: Int) throws(HTTPRequestError) -> ArraySlice<UInt8>? {
        let end = min(bytes.count, start + byteCount)
        guard let feed = bytes[max(searched, start)..<max(end, searched)].firstIndex(of: UInt8(ascii: "\n")) else {
            guard count < byteCount else { throw HTTPRequestError(status: status, reason: "lines are too long") }
            searched = end
            return nil
        }
        let line = bytes[start..<feed]
        guard line.last == UInt8(ascii: "\r") else { throw .malformed("a line ends in a line feed alone") }
        start = feed + 1
        searched = start
        return line.dropLast()
    }
}

/// The lines of a head, or of the trailers behind a body: the two are bounded and written alike.
struct HTTPFieldLines {
    private(set) var fields: [(name: String, value: String)] = []
    private var byteCount = 0

    /// The next line.
    mutating func line(_ input: inout HTTPInput, _ limits: HTTPLimits) throws(HTTPRequestError) -> ArraySlice<UInt8>? {
        guard let line = try input.line(atMost: limits.headByteCount - byteCount, status: 431) else { return nil }
        byteCount += line.count + 2
        return line
    }

    /// Takes a line in as a header (RFC 9112 §5). A line of white space and more, which once went on from the one before,
    /// is none.
    mutating func append(_ line: ArraySlice<UInt8>, _ limits: HTTPLimits) throws(HTTPRequestError) {
        guard fields.count < limits.headerCount else {
            throw HTTPRequestError(status: 431, reason: "there are more than \(limits.headerCount) headers")
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = String(strictUTF8: line[..<colon]),
            HubHeaders.isName(name)
        else { throw .malformed("a header is not NAME: VALUE") }
        guard let value = String(strictUTF8: line[(colon + 1)...].withoutBlanks), HubHeaders.isValue(value) else {
            throw .malformed("the header \(name) is not UTF-8 without control characters")
        }
        fields.append((name, value))
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without spaces and tabs at either end, which are the only optional whitespace of HTTP (RFC 9110 §5.6.3).
    fileprivate var withoutBlanks: Self {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let last = lastIndex(where: { !isBlank($0) }) else { return [] }
        return self[...last].drop(while: isBlank)
    }
}
