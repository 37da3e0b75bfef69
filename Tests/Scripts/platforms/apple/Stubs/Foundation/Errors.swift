public protocol CustomNSError: Error {
    static var errorDomain: String { get }
    var errorCode: Int { get }
    var errorUserInfo: [String: Any] { get }
}

public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var helpAnchor: String? { get }
    var recoverySuggestion: String? { get }
}

extension LocalizedError {
    public var errorDescription: String? { fatalError() }
    public var failureReason: String? { fatalError() }
    public var helpAnchor: String? { fatalError() }
    public var recoverySuggestion: String? { fatalError() }
}

extension Error {
    public var localizedDescription: String { fatalError() }
}

public struct CocoaError: CustomNSError, Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
    }
    public init(_ code: Code, userInfo: [String: Any] = [:]) { self.code = code }
    public let code: Code
    public static var errorDomain: String { fatalError() }
    public var errorCode: Int { fatalError() }
    public var errorUserInfo: [String: Any] { fatalError() }
}

extension CocoaError.Code {
    public static var fileReadUnknown: CocoaError.Code { fatalError() }
    public static var fileNoSuchFile: CocoaError.Code { fatalError() }
    public static var fileReadNoSuchFile: CocoaError.Code { fatalError() }
}

public struct URLError: CustomNSError, Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
    }
    public init(_ code: Code, userInfo: [String: Any] = [:]) { self.code = code }
    public let code: Code
    public static var errorDomain: String { fatalError() }
    public var errorCode: Int { fatalError() }
    public var errorUserInfo: [String: Any] { fatalError() }
    public var failingURL: URL? { fatalError() }
    public var userInfo: [String: Any] { fatalError() }
}

extension URLError.Code {
    public static var appTransportSecurityRequiresSecureConnection: URLError.Code { fatalError() }
    public static var badServerResponse: URLError.Code { fatalError() }
    public static var badURL: URLError.Code { fatalError() }
    public static var cancelled: URLError.Code { fatalError() }
    public static var cannotConnectToHost: URLError.Code { fatalError() }
    public static var cannotFindHost: URLError.Code { fatalError() }
    public static var cannotParseResponse: URLError.Code { fatalError() }
    public static var clientCertificateRejected: URLError.Code { fatalError() }
    public static var clientCertificateRequired: URLError.Code { fatalError() }
    public static var dnsLookupFailed: URLError.Code { fatalError() }
    public static var networkConnectionLost: URLError.Code { fatalError() }
    public static var notConnectedToInternet: URLError.Code { fatalError() }
    public static var secureConnectionFailed: URLError.Code { fatalError() }
    public static var serverCertificateHasBadDate: URLError.Code { fatalError() }
    public static var serverCertificateHasUnknownRoot: URLError.Code { fatalError() }
    public static var serverCertificateNotYetValid: URLError.Code { fatalError() }
    public static var serverCertificateUntrusted: URLError.Code { fatalError() }
    public static var timedOut: URLError.Code { fatalError() }
    public static var unknown: URLError.Code { fatalError() }
    public static var unsupportedURL: URLError.Code { fatalError() }
    public static var userAuthenticationRequired: URLError.Code { fatalError() }
}
