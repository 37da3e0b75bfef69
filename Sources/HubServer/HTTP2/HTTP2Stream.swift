import HubText

/// A stream of HTTP/2: a request as it arrives, then its response.
///
/// Each request is converted to HTTP/1.1 text, so that ``HTTPRequestParser`` applies the same rules and limits to both versions.
struct HTTP2Stream {
    /// The time at which the request started; `nil` once it is complete.
    var requestStart: ContinuousClock.Instant?
    private(set) var method = ""
    private var path = ""
    private var authority: String?
    /// The header fields, as lines of HTTP/1.1.
    private var fields: [UInt8] = []
    /// The size of the header fields, including those that are ignored.
    private var fieldByteCount = 0
    var body: [UInt8] = []
    var hasHeaders = false
    /// Whether the request has a field that the library rejects.
    var hasInvalidField = false
    private(set) var expectsContinue = false
    /// The unsent part of the response's body.
    var response: ArraySlice<UInt8> = []
    /// The time at which the response was submitted; `nil` before that.
    var responseStart: ContinuousClock.Instant?

    init(requestStart: ContinuousClock.Instant) {
        self.requestStart = requestStart
    }

    /// Adds a header field or a pseudo-header field. Trailers are ignored.
    ///
    /// - Returns: Whether further fields can be read. A field of one byte can stand for one of 4 KB (RFC 7541 §6.1), so a request
    ///   with four times the allowed size is not read to its end.
    mutating func addField(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ limits: HTTPLimits
    ) -> Bool {
        fieldByteCount += name.count + value.count
        guard fieldByteCount <= 4 * limits.headByteCount else { return false }
        // One byte over the limit is enough for the parser to reject the request.
        guard !hasHeaders, fields.count <= limits.headByteCount else { return true }
        let text = unsafe String(decoding: value, as: UTF8.self)
        switch unsafe String(decoding: name, as: UTF8.self) {
        case ":method": method = text
        case ":path": path = text
        case ":authority": authority = text
        case ":scheme", "content-length": break
        // The authority takes precedence (RFC 9113 §8.3.1).
        case "host" where authority != nil: break
        case "expect": expectsContinue = text.utf8.isEqual(ignoringCase: "100-continue")
        default:
            unsafe fields += name
            fields += [UInt8(ascii: ":"), UInt8(ascii: " ")]
            // The library ignores fields with control characters.
            unsafe fields += value
            fields += [0x0d, 0x0a]
        }
        return true
    }

    /// Removes the parts of the request that are not needed for its response.
    mutating func removeContent() {
        fields = []
        body = []
    }

    /// Returns the complete request.
    func request(_ limits: HTTPLimits) throws(HTTPRequestError) -> HTTPRequest {
        if hasInvalidField {
            throw .malformed(
                "invalid header: expected a name of lower-case letters, digits and symbols, and a value without line breaks"
            )
        }
        guard body.count <= limits.bodyByteCount else {
            throw HTTPRequestError(status: 413, reason: "body longer than \(limits.bodyByteCount) bytes")
        }
        var parser = HTTPRequestParser(limits: limits)
        var head = "\(method) \(path) HTTP/1.1\r\n"
        if let authority { head += "host: \(authority)\r\n" }
        guard !(method + path + (authority ?? "")).utf8.contains(where: { $0 < 0x20 }) else {
            throw .malformed("control character in a pseudo-header")
        }
        parser.append(Array(head.utf8) + fields + Array("content-length: \(body.count)\r\n\r\n".utf8))
        parser.append(body)
        guard let request = try parser.next() else { throw .malformed("incomplete request") }
        return request
    }
}
