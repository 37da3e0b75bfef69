/// The server side of an HTTP/2 session (RFC 9113). libnghttp2 parses and writes the frames in memory.
///
/// The server offers HTTP/2 because the official Java SDK uses no other version.
///
/// Each request is converted to HTTP/1.1 text, so that ``HTTPRequestParser`` applies the same rules and limits to both versions.
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
    private var streams: [StreamID: Stream] = [:]
    /// The total size of the bodies that ``nextRequest()`` has not returned.
    private var bodyByteCount = 0
    private var frames: HTTP2FrameBudget
    /// Whether ``finish(isStopping:)`` was called.
    private(set) var isFinishing = false
    /// The streams whose requests are complete and have not been returned by ``nextRequest()``.
    private var complete: [StreamID] = []

    private struct Stream {
        var method = ""
        var path = ""
        var authority: String?
        /// The header fields, as lines of HTTP/1.1.
        var fields: [UInt8] = []
        var body: [UInt8] = []
        var hasHeaders = false
        var expectsContinue = false
        /// The time at which the request started; `nil` once it is complete.
        var requestStart: ContinuousClock.Instant?
        /// The unsent part of the response's body.
        var response: ArraySlice<UInt8> = []
        /// The time at which the response was submitted; `nil` before that.
        var responseStart: ContinuousClock.Instant?
    }

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
            unsafe HTTP2Session.from(context).begin(Frame(frame).stream)
            return 0
        }
        unsafe library.setOnHeader(callbacks) { _, frame, name, nameCount, value, valueCount, _, context in
            unsafe HTTP2Session.from(context).add(
                UnsafeBufferPointer(start: name, count: nameCount),
                UnsafeBufferPointer(start: value, count: valueCount),
                to: Frame(frame).stream)
            return 0
        }
        unsafe library.setOnDataChunk(callbacks) { _, _, stream, bytes, count, context in
            unsafe HTTP2Session.from(context).add(UnsafeBufferPointer(start: bytes, count: count), to: stream)
            return 0
        }
        unsafe library.setOnFrame(callbacks) { _, frame, context in
            let session = unsafe HTTP2Session.from(context)
            unsafe session.end(Frame(frame))
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

    /// The start of a `nghttp2_frame`.
    private struct Frame {
        let stream: StreamID
        let type: UInt8
        let flags: UInt8

        init(_ pointer: UnsafeRawPointer?) {
            guard let pointer = unsafe pointer else { preconditionFailure("the library passes a frame") }
            // struct nghttp2_frame_hd { size_t length; int32_t stream_id; uint8_t type; uint8_t flags; … }
            let offset = MemoryLayout<Int>.size
            stream = unsafe pointer.load(fromByteOffset: offset, as: Int32.self)
            type = unsafe pointer.load(fromByteOffset: offset + 4, as: UInt8.self)
            flags = unsafe pointer.load(fromByteOffset: offset + 5, as: UInt8.self)
        }
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
            streams[id]?.fields = []
            streams[id]?.body = []
            return (id, Result { () throws(HTTPRequestError) in try request(stream) })
        }
        return nil
    }

    private func request(_ stream: Stream) throws(HTTPRequestError) -> HTTPRequest {
        guard stream.body.count <= limits.bodyByteCount else {
            throw HTTPRequestError(status: 413, reason: "body longer than \(limits.bodyByteCount) bytes")
        }
        var parser = HTTPRequestParser(limits: limits)
        var head = "\(stream.method) \(stream.path) HTTP/1.1\r\n"
        if let authority = stream.authority { head += "host: \(authority)\r\n" }
        guard !(stream.method + stream.path + (stream.authority ?? "")).utf8.contains(where: { $0 < 0x20 }) else {
            throw .malformed("control character in a pseudo-header")
        }
        parser.append(Array(head.utf8) + stream.fields + Array("content-length: \(stream.body.count)\r\n\r\n".utf8))
        parser.append(stream.body)
        guard let request = try parser.next() else { throw .malformed("incomplete request") }
        return request
    }

    private func begin(_ id: StreamID) {
        // A second block of fields has the trailers.
        if streams[id] == nil {
            streams[id] = Stream(requestStart: .now)
        }
    }

    private func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, to id: StreamID) {
        // Trailers are ignored.
        guard streams[id]?.hasHeaders == false, var stream = streams.removeValue(forKey: id) else { return }
        defer { streams[id] = stream }
        let text = unsafe String(decoding: value, as: UTF8.self)
        switch unsafe String(decoding: name, as: UTF8.self) {
        case ":method": stream.method = text
        case ":path": stream.path = text
        case ":authority": stream.authority = text
        case ":scheme", "content-length": break
        // The authority takes precedence (RFC 9113 §8.3.1).
        case "host" where stream.authority != nil: break
        case "expect": stream.expectsContinue = text.utf8.equalsIgnoringCase("100-continue")
        default:
            // One byte over the limit is enough for the parser to reject the request.
            guard stream.fields.count <= limits.headByteCount else { return }
            unsafe stream.fields += name
            stream.fields += [UInt8(ascii: ":"), UInt8(ascii: " ")]
            // The library ignores fields with control characters.
            unsafe stream.fields += value
            stream.fields += [0x0d, 0x0a]
        }
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

    private func end(_ frame: Frame) {
        let (data, headers, endStream): (UInt8, UInt8, UInt8) = (0, 1, 1)
        guard [data, headers].contains(frame.type), streams[frame.stream] != nil else { return }
        if frame.type == headers { streams[frame.stream]?.hasHeaders = true }
        if frame.flags & endStream != 0 {
            // A request that was not complete in time has its response already.
            guard streams[frame.stream]?.requestStart != nil else { return }
            streams[frame.stream]?.requestStart = nil
            complete.append(frame.stream)
        } else if frame.type == headers, streams[frame.stream]?.expectsContinue == true {
            unsafe Fields([(":status", "100")]).withUnsafeBytes { fields, count in
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
        let fields = Fields(
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

    /// Whether the client waits for no response.
    var isIdle: Bool { streams.isEmpty }

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

/// Header fields in the form of an array of `nghttp2_nv`.
private struct Fields {
    private var bytes: [UInt8] = []
    private var counts: [(name: Int, value: Int)] = []

    init(_ fields: [(name: String, value: String)]) {
        for (name, value) in fields {
            bytes += Array(name.utf8) + Array(value.utf8)
            counts.append((name.utf8.count, value.utf8.count))
        }
    }

    /// Calls a closure with the array, which is valid only during the call, and its count.
    func withUnsafeBytes(_ body: (UnsafeRawPointer?, Int) -> Void) {
        // struct nghttp2_nv { uint8_t *name; uint8_t *value; size_t namelen; size_t valuelen; uint8_t flags; }
        let (word, wordsPerField) = (MemoryLayout<Int>.size, 5)
        var words = [Int](repeating: 0, count: counts.count * wordsPerField)
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe words.withUnsafeMutableBytes { words in
                var offset = 0
                for (index, count) in counts.enumerated() {
                    let start = index * wordsPerField * word
                    let name = unsafe bytes.baseAddress.map { unsafe $0 + offset }
                    unsafe words.storeBytes(of: name, toByteOffset: start, as: UnsafePointer<UInt8>?.self)
                    unsafe words.storeBytes(
                        of: name.map { unsafe $0 + count.name }, toByteOffset: start + word,
                        as: UnsafePointer<UInt8>?.self)
                    unsafe words.storeBytes(of: count.name, toByteOffset: start + 2 * word, as: Int.self)
                    unsafe words.storeBytes(of: count.value, toByteOffset: start + 3 * word, as: Int.self)
                    offset += count.name + count.value
                }
                unsafe body(words.baseAddress, counts.count)
            }
        }
    }
}
