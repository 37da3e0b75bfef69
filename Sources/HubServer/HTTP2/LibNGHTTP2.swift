/// The functions of libnghttp2 that a server needs, loaded at run time.
///
/// Each property is the C function of the same name: `sessionServerNew` is `nghttp2_session_server_new`. None is variadic.
@safe struct LibNGHTTP2: Sendable {
    typealias Free = @convention(c) @Sendable (OpaquePointer?) -> Void
    typealias Query = @convention(c) @Sendable (OpaquePointer?) -> CInt
    /// - Parameter frame: A `nghttp2_frame`, which starts with a `nghttp2_frame_hd`.
    typealias OnFrame =
        @convention(c) @Sendable (OpaquePointer?, _ frame: UnsafeRawPointer?, _ context: UnsafeMutableRawPointer?) ->
        CInt
    typealias OnHeader =
        @convention(c) @Sendable (
            OpaquePointer?, _ frame: UnsafeRawPointer?, _ name: UnsafePointer<UInt8>?, Int,
            _ value: UnsafePointer<UInt8>?, Int, _ flags: UInt8, _ context: UnsafeMutableRawPointer?
        ) -> CInt
    typealias OnDataChunk =
        @convention(c) @Sendable (
            OpaquePointer?, _ flags: UInt8, _ stream: Int32, UnsafePointer<UInt8>?, Int,
            _ context: UnsafeMutableRawPointer?
        ) -> CInt
    typealias OnStreamClose =
        @convention(c) @Sendable (
            OpaquePointer?, _ stream: Int32, _ code: UInt32, _ context: UnsafeMutableRawPointer?
        ) -> CInt
    typealias ReadData =
        @convention(c) @Sendable (
            OpaquePointer?, _ stream: Int32, UnsafeMutablePointer<UInt8>?, Int, _ flags: UnsafeMutablePointer<UInt32>?,
            _ source: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?
        ) -> Int

    let callbacksNew: @convention(c) @Sendable (UnsafeMutablePointer<OpaquePointer?>?) -> CInt
    let callbacksDel: Free
    let setOnBeginHeaders: @convention(c) @Sendable (OpaquePointer?, OnFrame) -> Void
    let setOnHeader: @convention(c) @Sendable (OpaquePointer?, OnHeader) -> Void
    let setOnInvalidHeader: @convention(c) @Sendable (OpaquePointer?, OnHeader) -> Void
    let setOnDataChunk: @convention(c) @Sendable (OpaquePointer?, OnDataChunk) -> Void
    let setOnFrame: @convention(c) @Sendable (OpaquePointer?, OnFrame) -> Void
    let setOnStreamClose: @convention(c) @Sendable (OpaquePointer?, OnStreamClose) -> Void

    let sessionServerNew:
        @convention(c) @Sendable (
            UnsafeMutablePointer<OpaquePointer?>?, OpaquePointer?, _ context: UnsafeMutableRawPointer?
        ) -> CInt
    let sessionDel: Free
    let sessionMemRecv: @convention(c) @Sendable (OpaquePointer?, UnsafePointer<UInt8>?, Int) -> Int
    let sessionMemSend: @convention(c) @Sendable (OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?) -> Int
    let sessionWantRead: Query
    let sessionWantWrite: Query
    let sessionGetLastProcStreamID: @convention(c) @Sendable (OpaquePointer?) -> Int32
    let sessionTerminateSession: @convention(c) @Sendable (OpaquePointer?, _ code: UInt32) -> CInt
    /// - Parameter entries: Pairs of an `int32_t` and a `uint32_t`, as in `nghttp2_settings_entry`.
    let submitSettings:
        @convention(c) @Sendable (OpaquePointer?, _ flags: UInt8, _ entries: UnsafeRawPointer?, Int) -> CInt
    let submitHeaders:
        @convention(c) @Sendable (
            OpaquePointer?, _ flags: UInt8, _ stream: Int32, _ priority: UnsafeRawPointer?,
            _ fields: UnsafeRawPointer?, Int, _ context: UnsafeMutableRawPointer?
        ) -> CInt
    let submitResponse:
        @convention(c) @Sendable (
            OpaquePointer?, _ stream: Int32, _ fields: UnsafeRawPointer?, Int, _ provider: UnsafeRawPointer?
        ) -> CInt
    let submitGoaway:
        @convention(c) @Sendable (
            OpaquePointer?, _ flags: UInt8, _ lastStream: Int32, _ code: UInt32, UnsafePointer<UInt8>?, Int
        ) -> CInt
    let submitRSTStream: @convention(c) @Sendable (OpaquePointer?, _ flags: UInt8, _ stream: Int32, UInt32) -> CInt

    /// The library; `nil` if it cannot be loaded or lacks a function.
    static let shared = LibNGHTTP2()

    /// Whether the library can be loaded. If not, the server does not offer HTTP/2.
    static var isAvailable: Bool { shared != nil }

    private init?() {
        do {
            let library = try SharedLibrary(.libnghttp2)
            unsafe callbacksNew = try library.function("nghttp2_session_callbacks_new")
            unsafe callbacksDel = try library.function("nghttp2_session_callbacks_del")
            unsafe setOnBeginHeaders = try library.function("nghttp2_session_callbacks_set_on_begin_headers_callback")
            unsafe setOnHeader = try library.function("nghttp2_session_callbacks_set_on_header_callback")
            unsafe setOnInvalidHeader = try library.function(
                "nghttp2_session_callbacks_set_on_invalid_header_callback")
            unsafe setOnDataChunk = try library.function("nghttp2_session_callbacks_set_on_data_chunk_recv_callback")
            unsafe setOnFrame = try library.function("nghttp2_session_callbacks_set_on_frame_recv_callback")
            unsafe setOnStreamClose = try library.function("nghttp2_session_callbacks_set_on_stream_close_callback")
            unsafe sessionServerNew = try library.function("nghttp2_session_server_new")
            unsafe sessionDel = try library.function("nghttp2_session_del")
            unsafe sessionMemRecv = try library.function("nghttp2_session_mem_recv")
            unsafe sessionMemSend = try library.function("nghttp2_session_mem_send")
            unsafe sessionWantRead = try library.function("nghttp2_session_want_read")
            unsafe sessionWantWrite = try library.function("nghttp2_session_want_write")
            unsafe sessionGetLastProcStreamID = try library.function("nghttp2_session_get_last_proc_stream_id")
            unsafe submitGoaway = try library.function("nghttp2_submit_goaway")
            unsafe sessionTerminateSession = try library.function("nghttp2_session_terminate_session")
            unsafe submitSettings = try library.function("nghttp2_submit_settings")
            unsafe submitHeaders = try library.function("nghttp2_submit_headers")
            unsafe submitResponse = try library.function("nghttp2_submit_response")
            unsafe submitRSTStream = try library.function("nghttp2_submit_rst_stream")
        } catch {
            return nil
        }
    }
}

extension LibNGHTTP2 {
    /// The start of a `nghttp2_frame`.
    struct Frame {
        let stream: Int32
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

    /// Header fields in the form of an array of `nghttp2_nv`.
    struct Fields {
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
}
