import NotificationHubsEmulator
import NotificationHubsTesting

/// The server side of a TLS connection. OpenSSL encrypts in memory; all input and output uses the ``Socket``.
@safe final class TLSConnection: ByteStream {
    private let library: LibSSL
    private let socket: Socket
    /// The `SSL`.
    private let connection: LibSSLObject
    /// The `BIO` for received encrypted bytes.
    private let input: LibSSLObject
    /// The `BIO` for encrypted bytes to send.
    private let output: LibSSLObject

    /// Performs the handshake.
    ///
    /// - Throws: ``LibSSLError`` or a socket error if the handshake fails.
    init(_ socket: Socket, _ identity: ServerIdentity) throws {
        library = try LibSSL.loaded()
        self.socket = socket
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
        guard try perform("SSL_do_handshake", { unsafe library.sslDoHandshake(connection.pointer) }) > 0 else {
            throw LibSSLError("connection closed during the handshake")
        }
    }

    private static func newBuffer(_ library: LibSSL) throws(LibSSLError) -> LibSSLObject {
        unsafe try LibSSLObject("BIO_new", library.bioNew(library.bioSMem()), free: library.bioFree, library)
    }

    /// Returns the next decrypted bytes, or an empty array after the client has closed its sending direction.
    func receive() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = try perform("SSL_read") {
            unsafe library.sslRead(connection.pointer, &bytes, CInt(bytes.count))
        }
        return Array(bytes.prefix(count))
    }

    /// Encrypts and sends bytes, in TLS records of at most 16384 bytes.
    func send(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        _ = try perform("SSL_write") { unsafe library.sslWrite(connection.pointer, bytes, CInt(bytes.count)) }
    }

    /// Sends the close_notify alert, so that the client can detect truncation.
    func sendEnd() throws {
        library.clearErrors()
        _ = unsafe library.sslShutdown(connection.pointer)
        try sendOutput()
    }

    /// Calls an OpenSSL function until it has all required input, and sends its output.
    ///
    /// - Returns: The result of the function, or 0 after the client has closed its sending direction.
    private func perform(_ operation: String, _ function: () -> CInt) throws -> Int {
        while true {
            library.clearErrors()
            let status = function()
            let error = unsafe library.sslGetError(connection.pointer, status)
            // An alert must be sent even if the call failed.
            try sendOutput()
            let (noError, wantsRead, isClosed): (CInt, CInt, CInt) = (0, 2, 6)
            switch error {
            case noError: return Int(status)
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
