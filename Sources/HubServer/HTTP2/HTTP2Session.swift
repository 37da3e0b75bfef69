/// The server side of an HTTP/2 session (RFC 9113). libnghttp2 parses and writes the frames in memory.
///
/// The server offers HTTP/2 because the official Java SDK uses no other version.
///
/// A session is not `Sendable`: the thread of its connection uses it. The library calls back only during ``receive(_:)`` and
/// ``bytesToSend()``, on the same thread.
@safe final class HTTP2Session {
    typealias StreamID = Int32

    /// The number of bodies of the maximum size that a connection may have in memory.
    private static let maximumBodyCount = 4

    private let library: LibNGHTTP2
    private let limits: HTTPLimits
    private var session: OpaquePointer?
    private var streams: [StreamID: HTTP2Stream] = [:]
    /// The total size of the bodies that ``nextRequest()`` has not returned.
    private var bodyByteCount = 0
    private var frames: HTTP2FrameBudget
    /// Whether ``finish(isStopping:)`` was called.
    private(set) var isFinishing = false
    /// The streams whose requests are complete and have not been returned by ``nextRequest()``.
    private var complete: [StreamID] = []

    /// Creates a session; `nil` if libnghttp2 is not available or memory is exhausted.
    init?(limits: HTTPLimits) {
        guard let library = LibNGHTTP2.shared else { return nil }
        self.library = library
        self.limits = limits
        frames = HTTP2FrameBudget(limits.frames, at: .now)
        var callbacks: OpaquePointer?
        guard unsafe library.callbacksNew(&callbacks) == 0 else { return nil }
        defer { unsafe library.callbacksDel(callbacks) }
        unsafe library.setOnBeginHeaders(callbacks) { _, frame, context in
            unsafe HTTP2Session.from(context).begin(LibNGHTTP2.Frame(frame).stream)
            return 0
        }
        unsafe library.setOnHeader(callbacks) { _, frame, name, nameCount, value, valueCount, _, context in
            let isAdded = unsafe HTTP2Session.from(context).add(
                UnsafeBufferPointer(start: name, count: nameCount),
                UnsafeBufferPointer(start: value, count: valueCount),
                to: LibNGHTTP2.Frame(frame).stream)
            // NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE resets the stream.
            return isAdded ? 0 : -521
        }
        // Without this callback, the library resets the stream, and the client does not learn the reason.
        unsafe library.setOnInvalidHeader(callbacks) { _, frame, _, _, _, _, _, context in
            unsafe HTTP2Session.from(context).reject(LibNGHTTP2.Frame(frame).stream)
            return 0
        }
        unsafe library.setOnDataChunk(callbacks) { _, _, stream, bytes, count, context in
            unsafe HTTP2Session.from(context).add(UnsafeBufferPointer(start: bytes, count: count), to: stream)
            return 0
        }
        unsafe library.setOnFrame(callbacks) { _, frame, context in
            let session = unsafe HTTP2Session.from(context)
            unsafe session.end(LibNGHTTP2.Frame(frame))
            return 0
        }
        unsafe library.setOnStreamClose(callbacks) { _, stream, code, context in
            unsafe HTTP2Session.from(context).remove(stream, hasNoError: code == 0)
            return 0
        }
        // Unretained: the session owns the library's session, which deinit deletes.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard unsafe library.sessionServerNew(&session, callbacks, context) == 0 else { return nil }
        let maximumConcurrentStreams: [UInt32] = [3, 32]
        guard unsafe library.submitSettings(session, 0, maximumConcurrentStreams, 1) == 0 else { return nil }
    }

    deinit {
        unsafe library.sessionDel(session)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> HTTP2Session {
        guard let context = unsafe context else { preconditionFailure("the library passes the session's context") }
        return unsafe Unmanaged<HTTP2Session>.fromOpaque(context).takeUnretainedValue()
    }

    // MARK: Receiving

    /// Processes received bytes. A client that has sent too many frames ends the session.
    ///
    /// - Returns: Whether the session can continue.
    func receive(_ bytes: [UInt8], at time: ContinuousClock.Instant = .now) -> Bool {
        frames.spend(bytes, at: time)
        let result = frames.isExceeded ? 0 : unsafe library.sessionMemRecv(session, bytes, bytes.count)
        // NGHTTP2_ERR_FLOODED and NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.
        let isFlooded = frames.isExceeded || [-904, -905].contains(result)
        if isFlooded { terminate(.enhanceYourCalm) }
        return !isFlooded && result >= 0
    }

    /// Removes and returns the next complete request, or the error for an invalid one; `nil` if there is none.
    func nextRequest() -> (stream: StreamID, request: Result<HTTPRequest, HTTPRequestError>)? {
        while !complete.isEmpty {
            let id = complete.removeFirst()
            // The client may have cancelled the stream.
            guard let stream = streams[id] else { continue }
            bodyByteCount -= stream.body.count
            streams[id]?.removeContent()
            return (id, Result { () throws(HTTPRequestError) in try stream.request(limits) })
        }
        return nil
    }

    private func begin(_ id: StreamID) {
        // A second block of fields has the trailers.
        if streams[id] == nil {
            streams[id] = HTTP2Stream(requestStart: .now)
        }
    }

    /// Adds a field of a request. Returns whether its stream can continue.
    private func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, to id: StreamID) -> Bool {
        unsafe streams[id]?.addField(name, value, limits) ?? true
    }

    /// Rejects a request with an invalid field. Trailers are ignored.
    private func reject(_ id: StreamID) {
        if streams[id]?.hasHeaders == false { streams[id]?.hasInvalidField = true }
    }

    private func add(_ bytes: UnsafeBufferPointer<UInt8>, to id: StreamID) {
        guard let count = streams[id]?.body.count else { return }
        // One byte over the limit is enough to reject the request.
        let kept = unsafe bytes.prefix(max(0, limits.bodyByteCount + 1 - count))
        unsafe streams[id]?.body += kept
        bodyByteCount += unsafe kept.count
        frames.addBody(byteCount: bytes.count)
        if bodyByteCount > Self.maximumBodyCount * limits.bodyByteCount { reset(id) }
    }

    private func remove(_ id: StreamID, hasNoError: Bool) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        bodyByteCount -= stream.body.count
        if hasNoError, stream.responseStart != nil { frames.addRequest() }
    }

    private func end(_ frame: LibNGHTTP2.Frame) {
        let (data, headers, endStream): (UInt8, UInt8, UInt8) = (0, 1, 1)
        guard [data, headers].contains(frame.type), streams[frame.stream] != nil else { return }
        if frame.type == headers { streams[frame.stream]?.hasHeaders = true }
        if frame.flags & endStream != 0 {
            // A request that was not complete in time has its response already.
            guard streams[frame.stream]?.requestStart != nil else { return }
            streams[frame.stream]?.requestStart = nil
            complete.append(frame.stream)
        } else if frame.type == headers, streams[frame.stream]?.expectsContinue == true {
            unsafe LibNGHTTP2.Fields([(":status", "100")]).withUnsafeBytes { fields, count in
                _ = unsafe library.submitHeaders(session, 0, frame.stream, nil, fields, count, nil)
            }
        }
    }

    // MARK: Sending

    /// Submits a response, without its body if the request's method is HEAD.
    func respond(to id: StreamID, _ response: HTTPResponse, date: String) {
        guard let stream = streams[id] else { return }
        let (headers, body) = HTTPResponseWriter.parts(of: response, date: date)
        let sent = stream.method == "HEAD" ? [] : body
        streams[id]?.response = sent[...]
        streams[id]?.responseStart = .now
        let fields = LibNGHTTP2.Fields(
            [(":status", "\(response.status)")] + headers.map { ($0.name.lowercased(), $0.value) })
        // struct nghttp2_data_provider { union { int fd; void *ptr; } source; read_callback }
        let provider: (UnsafeRawPointer?, LibNGHTTP2.ReadData) = unsafe (nil, Self.readData)
        unsafe withUnsafeBytes(of: provider) { provider in
            unsafe fields.withUnsafeBytes { fields, count in
                _ = unsafe library.submitResponse(
                    session, id, fields, count, sent.isEmpty ? nil : provider.baseAddress)
            }
        }
    }

    private static let readData: LibNGHTTP2.ReadData = { _, id, buffer, capacity, flags, _, context in
        let session = unsafe HTTP2Session.from(context)
        let chunk = (session.streams[id]?.response ?? []).prefix(capacity)
        unsafe UnsafeMutableRawBufferPointer(start: buffer, count: capacity).copyBytes(from: chunk)
        session.streams[id]?.response.removeFirst(chunk.count)
        session.frames.addBody(byteCount: chunk.count)
        let isLast = session.streams[id]?.response.isEmpty ?? true
        let endOfFile: UInt32 = 1
        if isLast { unsafe flags?.pointee |= endOfFile }
        return chunk.count
    }

    /// Ends a stream without a response.
    func reset(_ id: StreamID) {
        let internalError: UInt32 = 2
        _ = unsafe library.submitRSTStream(session, 0, id, internalError)
    }

    /// Ends the session after the responses to the current requests.
    ///
    /// - Parameter isStopping: Whether to reset incomplete requests.
    func finish(isStopping: Bool) {
        guard !isFinishing else { return }
        isFinishing = true
        for (id, stream) in streams where isStopping && stream.requestStart != nil { reset(id) }
        _ = unsafe library.submitGoaway(session, 0, library.sessionGetLastProcStreamID(session), 0, nil, 0)
    }

    /// A reason to end a session (RFC 9113 §7).
    enum EndReason: UInt32 {
        case noError = 0
        case enhanceYourCalm = 0xb
    }

    /// Ends the session immediately, without the pending responses.
    func terminate(_ reason: EndReason = .noError) {
        _ = unsafe library.sessionTerminateSession(session, reason.rawValue)
    }

    /// Returns bytes to send; empty if there are none.
    func bytesToSend() -> [UInt8] {
        var result: [UInt8] = []
        while result.count < 1 << 16 {
            var chunk: UnsafePointer<UInt8>?
            let count = unsafe library.sessionMemSend(session, &chunk)
            guard count > 0 else { break }
            unsafe result += UnsafeBufferPointer(start: chunk, count: count)
        }
        return result
    }

    // MARK: State

    /// Whether the session is over.
    var isFinished: Bool {
        unsafe library.sessionWantRead(session) == 0 && library.sessionWantWrite(session) == 0
    }

    /// The number of responses that the client waits for.
    var streamCount: Int { streams.count }

    /// Resets the streams whose client does not receive the response in time, and returns those whose request is not complete in
    /// time.
    ///
    /// - Parameter isExpired: Returns whether a wait has ended, from its limit and its start.
    func expire(_ isExpired: (_ limit: Duration, _ start: ContinuousClock.Instant) -> Bool) -> [StreamID] {
        var ids: [StreamID] = []
        for (id, stream) in streams {
            if let start = stream.responseStart, isExpired(limits.writeTime, start) {
                streams[id]?.responseStart = nil
                reset(id)
            } else if let start = stream.requestStart, isExpired(limits.bodyTime, start) {
                streams[id]?.requestStart = nil
                ids.append(id)
            }
        }
        return ids
    }

    /// Returns whether the stream is open.
    func isOpen(_ id: StreamID) -> Bool { streams[id] != nil }
}
