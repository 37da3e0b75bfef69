import Foundation

/// A byte-level TCP connection to a server on this machine.
package final class RawClient {
    private let descriptor: CInt
    private var received = ""

    /// The state of a connection after waiting for data.
    package enum End {
        case closed
        case reset
        /// The connection is still open after the timeout.
        case open
    }

    /// A failure to connect.
    package struct ConnectionError: Error {
        let code = errno
    }

    /// A response that is not valid HTTP.
    package struct InvalidResponseError: Error {
        let text: String
    }

    /// Connects to a port of 127.0.0.1.
    package init(port: UInt16) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0, Self.preventsSignals(descriptor) else { throw ConnectionError() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw ConnectionError() }
    }

    deinit {
        disconnect()
    }

    /// Prevents that sending to a closed connection ends the process with `SIGPIPE`. Returns whether that succeeded.
    private static func preventsSignals(_ descriptor: CInt) -> Bool {
        #if canImport(Darwin)
        var value: CInt = 1
        return unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_NOSIGPIPE, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
        #else
        // ``send(_:)`` passes MSG_NOSIGNAL.
        return true
        #endif
    }

    /// Sends a string, or the part of it that the server accepts before it closes the connection.
    package func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// Sends bytes, or the part of them that the server accepts before it closes the connection.
    package func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                unsafe Foundation.send(descriptor, buffer.baseAddress.map { unsafe $0 + sent }, bytes.count - sent, 0)
                #else
                unsafe Foundation.send(
                    descriptor, buffer.baseAddress.map { unsafe $0 + sent }, bytes.count - sent, CInt(MSG_NOSIGNAL))
                #endif
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Closes the sending direction; receiving remains possible.
    package func stopSending() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Closes the connection.
    package func disconnect() {
        close(descriptor)
    }

    /// Reads up to and including a string. Returns all received data if the connection ends first or no data arrives for 30
    /// seconds.
    package func read(upTo text: String) -> String {
        while true {
            if let range = received.firstRange(of: text) {
                defer { received = String(received[range.upperBound...]) }
                return String(received[..<range.upperBound])
            }
            guard receive(within: 30_000) == nil else {
                defer { received = "" }
                return received
            }
        }
    }

    /// Reads a number of bytes. Returns fewer if the connection ends first or no data arrives for 30 seconds.
    package func read(byteCount: Int) -> String {
        while received.utf8.count < byteCount, receive(within: 30_000) == nil {}
        let end = received.utf8.index(received.startIndex, offsetBy: min(byteCount, received.utf8.count))
        defer { received = String(received[end...]) }
        return String(received[..<end])
    }

    /// Reads the next response, which must have a content length. The names of headers are in lower case; their values
    /// and the body are unchanged.
    package func readResponse() throws -> (status: Int, headers: [String: String], body: String) {
        let head = read(upTo: "\r\n\r\n")
        let lines = head.split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw InvalidResponseError(text: head)
        }
        let fields = try lines.dropFirst().map { line in
            guard let colon = line.firstIndex(of: ":") else { throw InvalidResponseError(text: head) }
            return (line[..<colon].lowercased(), String(line[colon...].dropFirst().drop { $0 == " " }))
        }
        let headers = Dictionary(fields) { "\($0), \($1)" }
        return (status, headers, read(byteCount: headers["content-length"].flatMap { Int($0) } ?? 0))
    }

    /// Reads until the connection ends or no data arrives for 30 seconds.
    package func readToEnd() -> (text: String, end: End) {
        while true {
            if let end = receive(within: 30_000) { return (received, end) }
        }
    }

    /// Waits for data.
    ///
    /// - Returns: The state of the connection, or `nil` if data was received.
    package func receive(within milliseconds: CInt) -> End? {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&polled, 1, milliseconds) > 0 else { return .open }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { received += String(decoding: buffer[..<count], as: UTF8.self) }
        return count > 0 ? nil : count == 0 ? .closed : .reset
    }
}
