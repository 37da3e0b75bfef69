import NotificationHubsEmulator
import NotificationHubsTesting

/// The server's side of a TLS connection. OpenSSL encrypts in memory; all input and output goes through the ``Socket``.
@safe final class TLSConnection: ByteStream {
    private let library: LibSSL
    private let socket: Socket
    /// The `SSL`.
    private let connection: LibSSLObject
    /// The `BIO` with encrypted bytes that were received.
    private let input: LibSSLObject
    /// The `BIO` with encrypted bytes that must be sent.
    private let output: LibSSLObject

    /// Performs the handshake.
    ///
    /// - Throws: ``LibSSLError`` or `SocketError`, if the handshake fails.
    init(_ socket: Socket, _ identity: ServerIdentity) throws {
        library = try LibSSL.loaded()
        self.socket = socket
        connection = unsafe try LibSSLObject(
            "SSL_new", library.sslNew(identity.context.pointer), free: library.sslFree, library)
        input = try Self.newBuffer(library)
        output = try Self.newBuffer(library)
        // The call takes over one reference to each.
        for buffer in [input, output] {
            try library.check("BIO_up_ref", unsafe library.bioUpRef(buffer.pointer))
        }
        unsafe library.sslSetBio(connection.pointer, input.pointer, output.pointer)
        unsafe library.sslSetAcceptState(connection.pointer)
        guard try perform("SSL_do_handshake", { unsafe library.sslDoHandshake(connection.pointer) }) > 0 else {
            throw LibSSLError("connection closed during the handshake")
        }
    }

    private static func newBuffer(_ library: LibSSL) throws(LibSSLError) -> LibSSLObject {
        unsafe try LibSSLObject("BIO_new", library.bioNew(library.bioSMem()), free: library.bioFree, library)
    }

    /// Returns the next bytes, decrypted. Returns an empty array once the client sends no more.
    func receive() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = try perform("SSL_read") {
            unsafe library.sslRead(connection.pointer, &bytes, CInt(bytes.count))
        }
        return Array(bytes.prefix(count))
    }

    /// Encrypts and sends the bytes, in one TLS record for each 16384 of them.
    func send(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        _ = try perform("SSL_write") { unsafe library.sslWrite(connection.pointer, bytes, CInt(bytes.count)) }
    }

    /// Sends the close_notify alert, which tells the client that nothing was cut off.
    func sendEnd() throws {
        library.clearErrors()
        _ = unsafe library.sslShutdown(connection.pointer)
        try sendOutput()
    }

    /// Calls a function of OpenSSL until it has all the input that it needs, and sends its output.
    ///
    /// - Returns: what the function returned, or 0 once the client sends no more.
    private func perform(_ operation: String, _ function: () -> CInt) throws -> Int {
        while true {
            library.clearErrors()
            let status = function()
            let error = unsafe library.sslGetError(connection.pointer, status)
            // An alert must be sent even if the call failed.
            try sendOutput()
            let (none, wantsRead, isClosed): (CInt, CInt, CInt) = (0, 2, 6)
            switch error {
            case none: return Int(status)
            case isClosed: return 0
            case wantsRead:
                let bytes = try socket.receive()
                guard !bytes.isEmpty else { return 0 }
                try library.check("BIO_write", unsafe library.bioWrite(input.pointer, bytes, CInt(bytes.count)))
            default: try library.check(operation, 0)
            }
        }
    }

    private func sendOutput() throws {
        var bytes = [UInt8](repeating: 0, count: 32_768)
        while true {
            let count = unsafe library.bioRead(output.pointer, &bytes, CInt(bytes.count))
            guard count > 0 else { return }
            try socket.send(Array(bytes.prefix(Int(count))))
        }
    }
}
