#if !canImport(Darwin)
#if canImport(Glibc)
import HubText
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import NotificationHubs

/// A libcurl easy handle, which sends one request at a time. It is confined to the loop's thread.
///
/// libcurl resends a request if a reused connection breaks before the response. That is safe only if no byte of the request
/// was sent, for example because the server had already closed the connection, see ``CurlSockets``. Other resends are prevented:
/// - The pre-request callback (libcurl 7.80) rejects a second start, and libcurl fails with code 42.
/// - The seek callback rejects rewinding a body, and libcurl fails with code 65.
/// - Before 7.80, a request without a body uses a new connection, since libcurl resends on reused connections only.
@safe final class CurlTransfer {
    let handle: Libcurl.Handle
    /// The address of the handle.
    var address: Int { Int(bitPattern: unsafe handle) }
    /// The request in flight.
    private(set) var submission: CurlMailbox.Submission?

    private let curl: Libcurl
    private let sockets: CurlSockets
    private var headerList: Libcurl.Handle?
    private let errorText: UnsafeMutablePointer<CChar>
    private var sentBodyByteCount = 0
    /// Whether libcurl has had a connection for the request. Always `false` before libcurl 7.80.
    private var isStarted = false
    private var reader = ResponseReader(maximumBodyByteCount: 0)

    /// Creates a handle.
    ///
    /// - Throws: `HubTransportError` if libcurl lacks a feature, such as TLS.
    init(_ curl: Libcurl, _ sockets: CurlSockets, certificates: TrustedCertificates) throws(HubTransportError) {
        guard let handle = unsafe curl.easyInit() else {
            throw HubTransportError("curl_easy_init failed", delivery: .notSent)
        }
        (self.curl, self.sockets) = (curl, sockets)
        unsafe self.handle = handle
        unsafe errorText = .allocate(capacity: 256)  // CURL_ERROR_SIZE
        unsafe errorText.initialize(repeating: 0, count: 256)
        try setUp(certificates)
    }

    deinit {
        unsafe curl.easyCleanup(handle)
        unsafe curl.listFree(headerList)
        unsafe errorText.deallocate()
    }

    /// Sets the options that are the same for all requests.
    private func setUp(_ certificates: TrustedCertificates) throws(HubTransportError) {
        typealias Option = Libcurl.Option
        let options = [
            (Option.noSignal, 1), (Option.protocols, 3 /* HTTP and HTTPS */), (Option.httpVersion, 2 /* HTTP/1.1 */),
            (Option.headerOptions, 1 /* none to a proxy's CONNECT */), (Option.suppressConnectHeaders, 1),
            (Option.pathAsIs, 1), (Option.sslVersion, 6 /* TLS 1.2 or later */), (Option.sslVerifyPeer, 1),
            (Option.sslVerifyHost, 2), (Option.dnsCacheSeconds, 30), (Option.maximumIdleSeconds, 50),
        ]
        for (option, value) in options { try unsafe check(curl.setLong(handle, option, value)) }
        // Older versions lack these options: they do not limit a connection's age, and wait for a pending name lookup when a
        // request ends.
        _ = unsafe curl.setLong(handle, Option.maximumLifetimeSeconds, 300)
        _ = unsafe curl.setLong(handle, Option.quickExit, 1)

        let context = unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        for option in [Option.writeData, Option.headerData, Option.readData, Option.seekData] {
            try unsafe check(curl.setPointer(handle, option, context))
        }
        try unsafe check(
            curl.setDataCallback(handle, Option.writeFunction) { unsafe CurlTransfer.write($0, $1 * $2, $3) })
        try unsafe check(
            curl.setDataCallback(handle, Option.headerFunction) { unsafe CurlTransfer.head($0, $1 * $2, $3) })
        try unsafe check(
            curl.setDataCallback(handle, Option.readFunction) { unsafe CurlTransfer.read($0, $1 * $2, $3) })
        try unsafe check(curl.setSeekCallback(handle, Option.seekFunction) { unsafe CurlTransfer.of($0).seek($1, $2) })
        if curl.hasPrerequest {
            try unsafe check(curl.setPointer(handle, Option.prerequestData, context))
            try unsafe check(
                curl.setPrerequestCallback(handle, Option.prerequestFunction) { context, _, _, _, _ in
                    unsafe CurlTransfer.of(context).startRequest()
                })
        }
        if curl.hasConnectionID { try unsafe trackSockets(context) }
        try unsafe check(curl.setPointer(handle, Option.errorBuffer, errorText))
        if let path = certificates.path {
            try unsafe check(curl.setPointer(handle, Option.caInfo, path))
            // Not all TLS libraries support a directory of certificates.
            _ = unsafe curl.setPointer(handle, Option.caPath, nil)
        }
    }

    /// Records the sockets that libcurl opens and closes in ``CurlSockets``, which lives as long as the connections.
    private func trackSockets(_ context: UnsafeRawPointer) throws(HubTransportError) {
        typealias Option = Libcurl.Option
        try unsafe check(curl.setPointer(handle, Option.socketData, context))
        try unsafe check(
            curl.setSocketCallback(handle, Option.socketFunction) { context, socket, _ in
                let transfer = unsafe CurlTransfer.of(context)
                transfer.sockets.add(socket, openedBy: transfer.address)
                return 0
            })
        let context = unsafe UnsafeRawPointer(Unmanaged.passUnretained(sockets).toOpaque())
        try unsafe check(curl.setPointer(handle, Option.closeData, context))
        try unsafe check(
            curl.setCloseCallback(handle, Option.closeFunction) { context, socket in
                if let context = unsafe context {
                    unsafe Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().remove(socket)
                }
                return close(socket)
            })
    }

    /// Configures the handle for a request.
    ///
    /// - Throws: `HubTransportError` if libcurl rejects an option.
    func prepare(
        _ submission: CurlMailbox.Submission, timeLeft: Duration, maximumBodyByteCount: Int
    ) throws(HubTransportError) {
        typealias Option = Libcurl.Option
        let request = submission.request
        self.submission = submission
        reader = ResponseReader(maximumBodyByteCount: maximumBodyByteCount)
        (sentBodyByteCount, isStarted) = (0, false)
        unsafe errorText.pointee = 0

        var codes: [CInt] = []
        unsafe codes.append(curl.setPointer(handle, Option.url, request.url))
        // An empty name means no proxy. Without TLS, a proxy could read the token; with no name, the environment decides.
        let proxy = request.allowsProxy ? nil : ""
        unsafe codes.append(curl.setPointer(handle, Option.proxy, proxy))
        let hasBody = !request.body.isEmpty || [.post, .put, .patch].contains(request.method)
        if hasBody {
            unsafe codes.append(curl.setLong(handle, Option.post, 1))
            unsafe codes.append(curl.setLong(handle, Option.postFieldSizeLarge, request.body.count))
        } else {
            unsafe codes.append(curl.setLong(handle, Option.httpGet, 1))
        }
        unsafe codes.append(curl.setPointer(handle, Option.customRequest, request.method.rawValue))
        unsafe codes.append(
            curl.setLong(handle, Option.freshConnect, curl.hasPrerequest || !request.body.isEmpty ? 0 : 1))
        // Until the head of the response is complete, since libcurl can take an incomplete head for a response.
        unsafe codes.append(curl.setLong(handle, Option.forbidReuse, 1))
        // At least 1, since 0 disables the timeout; at most 23 days, since libcurl stores 32 bits.
        let milliseconds = min(max(1, (timeLeft / .milliseconds(1)).rounded(.up)), 2e9)
        unsafe codes.append(curl.setLong(handle, Option.timeoutMilliseconds, Int(milliseconds)))

        var lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // Remove headers that libcurl adds by default.
        lines.append("Expect:")
        if hasBody, request.headers["Content-Type"] == nil { lines.append("Content-Type:") }
        var list: Libcurl.Handle?
        for line in lines { unsafe list = curl.listAppend(list, line) ?? list }
        unsafe codes.append(curl.setPointer(handle, Option.httpHeader, list))
        unsafe curl.listFree(headerList)
        unsafe headerList = list

        if let code = codes.first(where: { $0 != 0 }) {
            throw HubTransportError("cannot set up the request: \(curl.text(for: code))", delivery: .notSent)
        }
    }

    /// Ends the request and resumes the task that waits for it. An idle handle keeps neither the response nor the headers.
    ///
    /// - Precondition: libcurl does not use the handle.
    func finish(_ result: Result<HubResponse, any Error>) {
        let continuation = submission?.continuation
        submission = nil
        reader = ResponseReader(maximumBodyByteCount: 0)
        _ = unsafe curl.setPointer(handle, Libcurl.Option.httpHeader, nil)
        unsafe curl.listFree(headerList)
        unsafe headerList = nil
        continuation?.resume(with: result)
    }

    /// Returns the result of a request that libcurl has ended with a code.
    func result(code: CInt) -> Result<HubResponse, any Error> {
        if code == 0, let response = reader.response { return .success(response) }
        return .failure(
            HubTransportError(
                failureText(code), delivery: isUnsent ? .notSent : .unknown, isTimeout: code == CurlCode.timedOut))
    }

    /// Whether the service cannot have read the whole request: libcurl had no connection, sent no byte, or did not read the
    /// whole body.
    ///
    /// libcurl's error code is not sufficient, because it can be that of an attempt on another connection.
    private var isUnsent: Bool {
        if curl.hasPrerequest, !isStarted { return true }
        return !hasSentBytes || sentBodyByteCount < (submission?.request.body.count ?? 0)
    }

    /// Whether at least one byte of the request was handed to the system.
    private var hasSentBytes: Bool { information(Libcurl.Information.requestSize) > 0 }

    private func failureText(_ code: CInt) -> String {
        let endpoint = submission.map { "\($0.request.endpoint)" } ?? "the service"
        if let limit = reader.exceededLimit { return limit }
        switch code {
        case 0: return "the connection to \(endpoint) closed before the end of the response head"
        case CurlCode.cannotResolveProxy: return "cannot resolve the proxy's host name"
        case CurlCode.cannotResolveHost: return "cannot resolve the host name of \(endpoint)"
        case CurlCode.timedOut:
            let place = isUnsent ? "no connection to" : "no complete response from"
            return "\(place) \(endpoint) within \((submission?.timeout ?? .zero).secondsText)"
        case CurlCode.resendRejected, CurlCode.rewindRejected:
            return "the connection to \(endpoint) was lost before the response"
        case _ where information(Libcurl.Information.connectCode) >= 300:
            let status = information(Libcurl.Information.connectCode)
            return "the proxy rejected the connection to \(endpoint) (status \(status))"
        case CurlCode.cannotConnect:
            let number = information(Libcurl.Information.osErrno)
            return "cannot connect to \(endpoint): \(number == 0 ? curl.text(for: code) : systemText(number))"
        case _ where CurlCode.isTLSFailure(code):
            let text = unsafe String(cString: errorText)
            return "cannot establish a TLS connection to \(endpoint): \(text.isEmpty ? curl.text(for: code) : text)"
        default:
            let problem = isUnsent ? "the request was not sent" : "no valid response"
            return "\(problem) (\(endpoint)): \(curl.text(for: code))"
        }
    }

    private func information(_ item: CInt) -> Int {
        var value = 0
        return unsafe curl.getInfo(handle, item, &value) == 0 ? value : 0
    }

    private func check(_ code: CInt) throws(HubTransportError) {
        guard code == 0 else {
            throw HubTransportError("cannot set up libcurl: \(curl.text(for: code))", delivery: .notSent)
        }
    }
}

// MARK: Callbacks

extension CurlTransfer {
    private static func of(_ context: Libcurl.Handle?) -> CurlTransfer {
        guard let context = unsafe context else { preconditionFailure("libcurl passes the callback's data") }
        return unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Allows libcurl to send the request, unless it would be a resend.
    ///
    /// - Returns: 0 (`CURL_PREREQFUNC_OK`) to send it; 1 (`CURL_PREREQFUNC_ABORT`) to fail.
    private func startRequest() -> CInt {
        if isStarted, hasSentBytes { return 1 }
        isStarted = true
        if curl.hasConnectionID, sockets.shutDownIfClosed(information(Libcurl.Information.connection), for: address) {
            // libcurl cannot send, and tries again.
            _ = unsafe curl.setLong(handle, Libcurl.Option.freshConnect, 1)
        }
        return 0
    }

    /// Allows libcurl to rewind the body, unless it would be a resend.
    ///
    /// - Returns: 0 (`CURL_SEEKFUNC_OK`) to send the body from the start; 1 (`CURL_SEEKFUNC_FAIL`) to fail.
    private func seek(_ offset: Int64, _ origin: CInt) -> CInt {
        guard !hasSentBytes, offset == 0, origin == 0 else { return 1 }
        sentBodyByteCount = 0
        return 0
    }

    private static func write(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ context: Libcurl.Handle?) -> Int {
        let part = unsafe UnsafeBufferPointer(start: bytes, count: count)
        return unsafe of(context).reader.readBody(part) || count == 0 ? count : 0
    }

    private static func head(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ context: Libcurl.Handle?) -> Int {
        let line = unsafe UnsafeBufferPointer(start: bytes, count: count)
        let transfer = unsafe of(context)
        let isRead = unsafe transfer.reader.readLine(line)
        if transfer.reader.hasFinalHead {
            _ = unsafe transfer.curl.setLong(transfer.handle, Libcurl.Option.forbidReuse, 0)
        }
        return isRead ? count : 0
    }

    /// Copies the next part of the body to libcurl's buffer.
    private static func read(_ bytes: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ context: Libcurl.Handle?) -> Int
    {
        let transfer = unsafe of(context)
        guard let body = transfer.submission?.request.body, let bytes = unsafe bytes else { return 0 }
        let part = body[transfer.sentBodyByteCount...].prefix(capacity)
        _ = unsafe UnsafeMutableBufferPointer(start: bytes, count: capacity).update(fromContentsOf: part)
        transfer.sentBodyByteCount += part.count
        return part.count
    }
}
#endif
