import HubText
import SharedAccessSignature

extension HubError {
    /// Creates an error from a response with a status that does not indicate success.
    ///
    /// The body can be empty or have a proxy's format; see ``ServiceErrorBody``.
    ///
    /// - Parameter now: The time in seconds since 1970 UTC, for a `Retry-After` header that contains a date, if the response has
    ///   no valid `Date` header.
    init(_ response: HubResponse, now: Int64) {
        let body = ServiceErrorBody(response.bodyWithoutByteOrderMark)
        let isTierLimit = response.status == 403 && body.isTierLimit
        let retryAfter = isTierLimit ? nil : response.headers["Retry-After"]
        self.init(
            isTierLimit ? .notAvailableInTier : Self.code(status: response.status, hasRetryAfter: retryAfter != nil),
            status: response.status, serviceCode: body.code, serviceSubcode: body.serviceSubcode,
            detail: Self.detail(body, response, now: now),
            trackingID: response.trackingID ?? body.trackingID, correlationID: response.correlationID,
            retryAfter: retryAfter.flatMap {
                // The service's clock and this machine's can differ.
                RetryAfter.duration($0, now: response.headers["Date"].flatMap(HTTPDate.time)?.seconds ?? now)
            })
    }

    /// Returns the reason in the response. For an expired token, it says how wrong this machine's clock is.
    private static func detail(_ body: ServiceErrorBody, _ response: HubResponse, now: Int64) -> String? {
        guard response.status == 401, body.serviceSubcode == 40106, let skew = response.clockSkew(now: now),
            let text = ClockSkew.text(skew)
        else { return body.detail }
        return body.detail.map { "\(text): \($0)" } ?? text
    }

    /// Creates an error from a response that indicates success but cannot be read.
    init(unreadable response: HubResponse, _ detail: String) {
        self.init(
            .invalidResponse, status: response.status, detail: detail, trackingID: response.trackingID,
            correlationID: response.correlationID)
    }

    /// Creates an error from a transport's failure.
    init(_ error: HubTransportError) {
        self.init(error.isTimeout ? .timedOut : .connectionFailed, detail: error.description)
    }

    private static func code(status: Int, hasRetryAfter: Bool) -> Code {
        switch status {
        case 400: .badRequest
        case 401: .unauthorized
        case 403: hasRetryAfter ? .throttled : .forbidden
        case 404: .notFound
        case 409: .conflict
        case 410: .gone
        case 412: .preconditionFailed
        case 413: .payloadTooLarge
        case 429: .throttled
        case 408, 500...599: .serviceFailed
        default: .unexpectedStatus
        }
    }
}

/// The body of an error response.
///
/// The service sends `<Error><Code>404</Code><Detail>…</Detail></Error>`. Its newer front ends send
/// `{"error":{"code":…,"message":…}}` or `{"Code":…,"Detail":…}`. Proxies send plain text, HTML or an empty body.
struct ServiceErrorBody: Hashable, Sendable {
    /// The error code, if it is a number.
    let code: Int?
    /// The subcode: the five-digit number at the start of the detail, before a colon, or after `SubCode=`.
    let serviceSubcode: Int?
    let detail: String?
    /// The text after `TrackingId:` in the detail.
    let trackingID: String?
    /// Whether the hub's tier does not include the requested feature.
    let isTierLimit: Bool

    /// Parses a body. Parts that cannot be parsed are `nil`.
    init(_ body: [UInt8]) {
        let (code, text) = Self.xml(body) ?? Self.json(body) ?? (nil, Self.text(body))
        (self.code, detail) = (code, text?.withoutSignatures)
        let bytes = detail.map { Array($0.utf8) } ?? body
        serviceSubcode =
            Self.number(bytes[...], before: UInt8(ascii: ":")) ?? Self.number(Self.following("SubCode=", bytes))
        isTierLimit = bytes.firstRange(of: "not available for your tier".utf8) != nil
        let id = Self.following("TrackingId:", bytes).prefix { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ",") }
        trackingID = id.isEmpty ? nil : String(decoding: id, as: UTF8.self)
    }

    private static func xml(_ body: [UInt8]) -> (Int?, String?)? {
        guard let root = try? XMLReader.read(body) else { return nil }
        // Azure Storage sends `Message`.
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

    /// Returns the body as plain text, or `nil` for binary data and markup.
    private static func text(_ body: [UInt8]) -> String? {
        let text = body.prefix(4000).trimmed
        guard !text.isEmpty, text.first != UInt8(ascii: "<"),
            !text.contains(where: { $0 < 0x20 && ![0x09, 0x0a, 0x0d].contains($0) })
        else { return nil }
        return text.lossyText
    }

    /// Returns the five-digit number at the start of the bytes, or `nil` if there is none.
    private static func number(_ text: ArraySlice<UInt8>, before end: UInt8? = nil) -> Int? {
        let digits = text.prefix(while: \.isASCIIDigit)
        guard digits.count == 5, end == nil || text.dropFirst(5).first == end else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    private static func following(_ word: String, _ text: [UInt8]) -> ArraySlice<UInt8> {
        text.firstRange(of: Array(word.utf8)).map { text[$0.upperBound...] } ?? []
    }
}

/// The value of a `Retry-After` header (RFC 9110 §10.2.3).
enum RetryAfter {
    /// Returns the time to wait.
    ///
    /// - Parameters:
    ///   - text: Seconds, or a date in the preferred format of RFC 9110 §5.6.7, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///   - now: The current time in seconds since 1970 UTC.
    /// - Returns: Zero for a date in the past, at most one day, or `nil` for invalid text.
    static func duration(_ text: String, now: Int64) -> Duration? {
        let bytes = Array(text.utf8)
        if !bytes.isEmpty, bytes.allSatisfy(\.isASCIIDigit) {
            return .seconds(min(Int64(text) ?? .max, longest))
        }
        guard let date = HTTPDate.time(text), date >= .epoch else { return nil }
        return .seconds(min(max(0, date.seconds.subtractingReportingOverflow(now).partialValue), longest))
    }

    private static let longest: Int64 = 86_400
}

extension HubError {
    /// The reason that the service rejected the token; `nil` if it did not, or if another token would not help.
    ///
    /// The service sends the reason as a number, in the detail or in the HTTP/1.1 reason phrase, which transports can drop.
    /// For a wrong key, its older front end reports a missing claim instead. A 401 without a number therefore counts as an
    /// invalid signature.
    var tokenProblem: SASTokenError.Code? {
        guard status == 401 else { return nil }
        switch serviceSubcode {
        case nil, 40100?, 40103?: return .invalidSignature
        case 40106?: return .expired
        default: return nil
        }
    }
}
