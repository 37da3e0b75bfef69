import HubText

/// The received bytes of a connection that have not been parsed.
struct HTTPInput {
    private var bytes: [UInt8] = []
    private var start = 0
    /// The end of the range that is known to contain no line feed.
    private var searchedEnd = 0

    /// The number of unparsed bytes.
    var count: Int { bytes.count - start }

    /// The first unparsed byte.
    var first: UInt8? { bytes[start...].first }

    mutating func append(_ new: [UInt8]) {
        // Parsed bytes are removed in batches: removing them after each small pipelined request takes quadratic time.
        if start > 16_384 || start == bytes.count {
            bytes.removeFirst(start)
            searchedEnd -= start
            start = 0
        }
        bytes += new
    }

    /// Removes and returns up to the given number of bytes.
    mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        let taken = bytes[start...].prefix(count)
        start = taken.endIndex
        searchedEnd = start
        return taken
    }

    /// Removes and returns the next line without its line end, or returns `nil` if the line is incomplete.
    ///
    /// - Parameters:
    ///   - byteCount: The maximum length, including the line end.
    ///   - status: The status of the error for a longer line.
    mutating func line(atMost byteCount: Int, status: Int) throws(HTTPRequestError) -> ArraySlice<UInt8>? {
        let end = min(bytes.count, start + byteCount)
        guard let feed = bytes[max(searchedEnd, start)..<max(end, searchedEnd)].firstIndex(of: UInt8(ascii: "\n"))
        else {
            guard count < byteCount else { throw HTTPRequestError(status: status, reason: "line too long") }
            searchedEnd = end
            return nil
        }
        let line = bytes[start..<feed]
        guard line.last == UInt8(ascii: "\r") else { throw .malformed("invalid line end: expected CR LF") }
        start = feed + 1
        searchedEnd = start
        return line.dropLast()
    }
}

/// The field lines of a head or of trailers, which share their syntax and limits.
struct HTTPFieldLines {
    private(set) var fields: [(name: String, value: String)] = []
    private var byteCount = 0

    /// Removes and returns the next line, or returns `nil` if it is incomplete.
    mutating func line(_ input: inout HTTPInput, _ limits: HTTPLimits) throws(HTTPRequestError) -> ArraySlice<UInt8>? {
        guard let line = try input.line(atMost: limits.headByteCount - byteCount, status: 431) else { return nil }
        byteCount += line.count + 2
        return line
    }

    /// Parses a line as a header.
    mutating func append(_ line: ArraySlice<UInt8>, _ limits: HTTPLimits) throws(HTTPRequestError) {
        guard fields.count < limits.headerCount else {
            throw HTTPRequestError(status: 431, reason: "more than \(limits.headerCount) headers")
        }
        do throws(HTTPFields.LineError) {
            fields.append(try HTTPFields.field(line))
        } catch {
            throw .malformed(error.reason)
        }
    }
}
