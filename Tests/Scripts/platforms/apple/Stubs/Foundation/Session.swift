// The loading system. Objective-C imports these protocols with optional requirements.

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

@objc open class URLResponse: NSObject, @unchecked Sendable {
    open var expectedContentLength: Int64 { fatalError() }
    open var mimeType: String? { fatalError() }
    open var url: URL? { fatalError() }
}

@objc open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    public init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) { fatalError() }
    open var allHeaderFields: [AnyHashable: Any] { fatalError() }
    open var statusCode: Int { fatalError() }
    @available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
    open func value(forHTTPHeaderField field: String) -> String? { fatalError() }
}

@objc open class HTTPCookieStorage: NSObject, @unchecked Sendable {}
@objc open class InputStream: NSObject {}
@objc open class OperationQueue: NSObject, @unchecked Sendable {
    open var maxConcurrentOperationCount: Int {
        get { fatalError() }
        set {}
    }
    open func addOperation(_ block: @escaping @Sendable () -> Void) {}
}
@objc open class URLCache: NSObject, @unchecked Sendable {}
@objc open class URLCredential: NSObject, @unchecked Sendable {}
@objc open class URLCredentialStorage: NSObject, @unchecked Sendable {}

@objc open class URLProtectionSpace: NSObject, @unchecked Sendable {
    open var authenticationMethod: String { fatalError() }
    open var host: String { fatalError() }
    open override func isProxy() -> Bool { fatalError() }
}

@objc open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    open var error: (any Error)? { fatalError() }
    open var failureResponse: URLResponse? { fatalError() }
    open var previousFailureCount: Int { fatalError() }
    open var protectionSpace: URLProtectionSpace { fatalError() }
}

public struct tls_protocol_version_t: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    @available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
    public static var TLSv12: tls_protocol_version_t { fatalError() }
    @available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
    public static var TLSv13: tls_protocol_version_t { fatalError() }
}

@objc open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var `default`: URLSessionConfiguration { fatalError() }
    open class var ephemeral: URLSessionConfiguration { fatalError() }
    open var connectionProxyDictionary: [AnyHashable: Any]? {
        get { fatalError() }
        set {}
    }
    open var httpCookieStorage: HTTPCookieStorage? {
        get { fatalError() }
        set {}
    }
    open var httpMaximumConnectionsPerHost: Int {
        get { fatalError() }
        set {}
    }
    open var timeoutIntervalForRequest: TimeInterval {
        get { fatalError() }
        set {}
    }
    open var timeoutIntervalForResource: TimeInterval {
        get { fatalError() }
        set {}
    }
    @available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0, *)
    open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { fatalError() }
        set {}
    }
    open var urlCache: URLCache? {
        get { fatalError() }
        set {}
    }
    open var urlCredentialStorage: URLCredentialStorage? {
        get { fatalError() }
        set {}
    }
    @available(macOS 10.13, iOS 11.0, tvOS 11.0, watchOS 4.0, visionOS 1.0, *)
    open var waitsForConnectivity: Bool {
        get { fatalError() }
        set {}
    }
}

@objc open class URLSessionTask: NSObject, @unchecked Sendable {
    open var currentRequest: URLRequest? { fatalError() }
    open var error: (any Error)? { fatalError() }
    open var originalRequest: URLRequest? { fatalError() }
    open var response: URLResponse? { fatalError() }
    open var taskIdentifier: Int { fatalError() }
    open func cancel() {}
    open func resume() {}
    open func suspend() {}
}

@objc open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

@available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
@objc open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    open var connectEndDate: Date? { fatalError() }
    open var connectStartDate: Date? { fatalError() }
    open var fetchStartDate: Date? { fatalError() }
    open var isProxyConnection: Bool { fatalError() }
    open var isReusedConnection: Bool { fatalError() }
    open var requestEndDate: Date? { fatalError() }
    open var requestStartDate: Date? { fatalError() }
    open var responseEndDate: Date? { fatalError() }
    open var responseStartDate: Date? { fatalError() }
    open var response: URLResponse? { fatalError() }
    open var secureConnectionEndDate: Date? { fatalError() }
    open var secureConnectionStartDate: Date? { fatalError() }
}

@available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
@objc open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
    open var redirectCount: Int { fatalError() }
    open var transactionMetrics: [URLSessionTaskTransactionMetrics] { fatalError() }
}

@objc open class URLSession: NSObject, @unchecked Sendable {
    @objc public enum AuthChallengeDisposition: Int, @unchecked Sendable {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
    }
    @objc public enum ResponseDisposition: Int, @unchecked Sendable {
        case cancel, allow, becomeDownload, becomeStream
    }

    open class var shared: URLSession { fatalError() }
    open var configuration: URLSessionConfiguration { fatalError() }
    public init(configuration: URLSessionConfiguration) {}
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {}
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError() }
    open func dataTask(with url: URL) -> URLSessionDataTask { fatalError() }
    open func finishTasksAndInvalidate() {}
    open func invalidateAndCancel() {}
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) { fatalError() }
}

@objc public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    @objc optional func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)
    @objc optional func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
}

@objc public protocol URLSessionTaskDelegate: URLSessionDelegate {
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    @objc optional func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)
}

@objc public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    @objc optional func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    @objc optional func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}
