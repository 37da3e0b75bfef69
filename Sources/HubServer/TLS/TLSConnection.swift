package import HubLock
import HubText

/// The server side of a TLS connection. OpenSSL encrypts in memory; all input and output uses the ``Socket``.
@safe package final class TLSConnection: ByteStream {
    private let library: LibSSL
    private let socket: Socket
    private let handshakeDeadline: PeerDeadline?
    /// The `SSL`.
    private let connection: LibSSLObject
    /// The `BIO` for received encrypted bytes.
    private let input: LibSSLObject
    /// The `BIO` for encrypted bytes to send.
    private let output: LibSSLObject
    /// Received bytes that ``receive()`` has not returned.
    private var decrypted: [UInt8] = []
    /// Whether the client has closed its sending direction.
    private var isAtEnd = false

    /// Performs the handshake.
    ///
    /// - Parameter deadline: The time at which the handshake fails; `nil` for none.
    /// - Throws: ``LibSSLError`` or ``SocketError`` if the handshake fails; ``NotTLS`` if the client uses plain HTTP.
    package init(_ socket: Socket, _ identity: ServerIdentity, by deadline: PeerDeadline? = nil) throws {
        library = try LibSSL.loaded()
        self.socket = socket
        handshakeDeadline = deadline
        connection = unsafe try LibSSLObject(
            "SSL_new", library.sslNew(identity.context.pointer), free: library.sslFree, library)
        input = try Self.newBuffer(library)
        output = try Self.newBuffer(library)
        // `SSL_set_bio` takes ownership of one reference to each.
        for buffer in [input, output] {
            try library.check("BIO_up_ref", unsafe library.bioUpRef(buffer.pointer))
        }
        unsafe library.sslSetBio(connection.pointer, input.pointer, output.pointer)
        unsafe library.sslSetAcceptState(connection.pointer)
        var isFirst = true
        while case .needsInput = try perform(
            "SSL_do_handshake", by: deadline, { unsafe library.sslDoHandshake(connection.pointer) })
        {
            if let deadline, try !socket.canReceive(by: deadline) {
                throw LibSSLError("handshake not received in time")
            }
            let bytes = try socket.receive()
            guard let first = bytes.first else { throw LibSSLError("connection closed during the handshake") }
            // A TLS handshake starts with the content type 22, and an HTTP request with a letter.
            if isFirst, first.isASCIILetter { throw NotTLS() }
            isFirst = false
            try write(bytes)
        }
        // The client may have sent its first request together with the end of the handshake.
        try readRecords()
    }

    /// An error for a client that starts with an HTTP request instead of a TLS handshake.
    package struct NotTLS: Error {}

    /// The protocol that the handshake selected; `nil` if the client offered none.
    var applicationProtocol: ApplicationProtocol? {
        var name: UnsafePointer<UInt8>?
        var count: CUnsignedInt = 0
        unsafe library.sslGet0ALPNSelected(connection.pointer, &name, &count)
        let bytes = unsafe UnsafeBufferPointer(start: name, count: Int(count))
        return unsafe ApplicationProtocol(rawValue: String(decoding: bytes, as: UTF8.self))
    }

    private static func newBuffer(_ library: LibSSL) throws(LibSSLError) -> LibSSLObject {
        unsafe try LibSSLObject("BIO_new", library.bioNew(library.bioSMem()), free: library.bioFree, library)
    }

    package func canReceive(by deadline: PeerDeadline, or events: [WakeUp]) throws -> Bool {
        while decrypted.isEmpty, !isAtEnd {
            guard try socket.canReceive(by: deadline, or: events) else { return false }
            try decrypt(socket.receive())
        }
        return true
    }

    package func receive() throws -> [UInt8] {
        while decrypted.isEmpty, !isAtEnd { try decrypt(socket.receive()) }
        defer { decrypted = [] }
        return decrypted
    }

    /// Encrypts and sends bytes, in TLS records of at most 16384 bytes.
    package func send(_ bytes: [UInt8], by deadline: PeerDeadline?) throws {
        // In parts, because OpenSSL's count has 32 bits, and it buffers the encrypted bytes.
        for start in stride(from: 0, to: bytes.count, by: 1 << 20) {
            let part = bytes[start..<min(start + 1 << 20, bytes.count)]
            _ = try perform("SSL_write", by: deadline) {
                unsafe part.withUnsafeBufferPointer { part in
                    unsafe library.sslWrite(connection.pointer, part.baseAddress, CInt(part.count))
                }
            }
        }
    }

    /// Sends the close_notify alert, so that the client can detect truncation.
    package func sendEnd(by deadline: PeerDeadline?) throws {
        library.clearErrors()
        _ = unsafe library.sslShutdown(connection.pointer)
        try sendOutput(by: deadline)
    }

    /// Decrypts received bytes. Without bytes, the client has closed the connection.
    private func decrypt(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else {
            isAtEnd = true
            return
        }
        try write(bytes)
        try readRecords()
    }

    /// Decrypts the complete records in the input.
    private func readRecords() throws {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            // Reading can send alerts and key updates.
            let result = try perform("SSL_read", by: handshakeDeadline?.restarted(.seconds(30))) {
                unsafe library.sslRead(connection.pointer, &buffer, CInt(buffer.count))
            }
            switch result {
            case .done(let count): decrypted += buffer.prefix(count)
            case .needsInput: return
            case .ended:
                isAtEnd = true
                return
            }
        }
    }

    private func write(_ bytes: [UInt8]) throws(LibSSLError) {
        try library.check("BIO_write", unsafe library.bioWrite(input.pointer, bytes, CInt(bytes.count)))
    }

    private enum Outcome {
        case done(Int)
        case needsInput
        /// The client has closed its sending direction.
        case ended
    }

    /// Calls an OpenSSL function and sends its output.
    private func perform(
        _ operation: String, by deadline: PeerDeadline?, _ function: () -> CInt
    ) throws -> Outcome {
        library.clearErrors()
        let status = function()
        let error = unsafe library.sslGetError(connection.pointer, status)
        let problem = LibSSLError("\(operation): \(library.oldestError())")
        // An alert must be sent even if the call failed.
        try sendOutput(by: deadline)
        let (noError, wantsRead, isClosed): (CInt, CInt, CInt) = (0, 2, 6)
        switch error {
        case noError: return .done(Int(status))
        case wantsRead: return .needsInput
        case isClosed: return .ended
        default: throw problem
        }
    }

    private func sendOutput(by deadline: PeerDeadline?) throws {
        var bytes = [UInt8](repeating: 0, count: 32_768)
        while true {
            let count = unsafe library.bioRead(output.pointer, &bytes, CInt(bytes.count))
            guard count > 0 else { return }
            try socket.send(Array(bytes.prefix(Int(count))), by: deadline)
        }
    }
}
