import HubText
import SharedAccessSignature

extension HubError {
    /// What a response says whose status the call does not allow.
    ///
    /// The body is not to be relied on: the service writes `<Error><Code>…</Code><Detail>…</Detail></Error>`, but also
    /// nothing at all, and what stands between may answer in its own way.
    ///
    /// - Parameter now: seconds since 1970 UTC, for a `Retry-After` that is a date.
    init(_ response: HubResponse, now: Int64) {
        let answer = ServiceAnswer(response.body)
        let isAboutTier = response.status == 403 && answer.isAboutTier
        let retryAfter = isAboutTier ? nil : response.headers["Retry-After"]
        self.init(
            isAboutTier ? .notAvailableInTier : Self.code(status: response.status, hasRetryAfter: retryAfter != nil),
            status: response.status, serviceCode: answer.code, serviceSubcode: answer.serviceSubcode,
            detail: answer.detail,
            trackingID: response.trackingID ?? answer.trackingID, correlationID: response.correlationID,
            retryAfter: retryAfter.flatMap { RetryAfter.duration($0, now: now) })
    }

    /// A response of the right status that cannot be read.
    init(unreadable response: HubResponse, _ detail: String) {
        self.init(
            .invalidResponse, status: response.status, detail: detail, trackingID: response.trackingID,
            correlationID: response.correlationID)
    }

    /// What a transport says that got no response.
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

/// The value of `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
    /// How long to wait.
    ///
    /// - Parameters:
    ///   - text: seconds, or a date in the preferred form of RFC 9110 §5.6.7, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///   - now: seconds since 1970 UTC.
    /// - Returns: no time for a date that has passed, a day at the most; `nil` for any other text.
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
    /// What is wrong with the token, as far as another one may mend it.
    ///
    /// The service names the reason by a number, at the beginning of the detail or in HTTP/1.1's reason phrase, which not every
    /// transport hands on; and for a wrong key its older front end says that a right is missing. So a 401 is about the signature
    /// unless it names another reason.
    var tokenProblem: SASTokenError.Code? {
        guard status == 401 else { return nil }
        switch serviceSubcode {
        case nil, 40100?, 40103?: return .invalidSignature
        case 40106?: return .expired
        default: return nil
        }
    }
}
