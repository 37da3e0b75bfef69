import Foundation

/// A connection to a server on this machine, byte by byte.
package final class RawClient {
    private let descriptor: CInt
    private var received = ""

    /// How a connection ended, as the client sees it.
    package enum End {
        case closed
        case reset
        /// Not yet, after so long a time that it will not.
        case open
    }

    /// A connection that could not be made.
    package struct Failure: Error {
        let code = errno
    }

    /// Bytes that are not an HTTP response.
    package struct MalformedResponse: Error {
        let text: String
    }

    /// Connects to a port of 127.0.0.1.
    package init(port: UInt16) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, status == 0 else { throw Failure() }
    }

    deinit {
        leave()
    }

    /// Sends all of it, or as much as the server takes before it closes.
    package func send(_ text: String) {
        let bytes = Array(text.utf8)
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

    /// Sends no more, and reads on.
    package func stopSending() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Closes the connection from this side.
    package func leave() {
        close(descriptor)
    }

    /// What comes in up to a text, with it; all there is if the connection ends before, or nothing comes for a long time.
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

    /// As many bytes of what comes in; fewer if the connection ends before, or nothing comes for a long time.
    package func read(byteCount: Int) -> String {
        while received.utf8.count < byteCount, receive(within: 30_000) == nil {}
        let end = received.utf8.index(received.startIndex, offsetBy: min(byteCount, received.utf8.count))
        defer { received = String(received[end...]) }
        return String(received[..<end])
    }

    /// The next response as it stands on the wire, one whose body has a length: the headers by names in lower case.
    package func readResponse() throws -> (status: Int, headers: [String: String], body: String) {
        let head = read(upTo: "\r\n\r\n")
        let lines = head.split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw MalformedResponse(text: head)
        }
        let fields = try lines.dropFirst().map { line in
            guard let colon = line.firstIndex(of: ":") else { throw MalformedResponse(text: head) }
            return (line[..<colon].lowercased(), String(line[colon...].dropFirst().drop { $0 == " " }))
        }
        let headers = Dictionary(fields) { "\($0), \($1)" }
        return (status, headers, read(byteCount: headers["content-length"].flatMap { Int($0) } ?? 0))
    }

    /// All that comes in until the connection ends.
    package func readToEnd() -> (text: String, end: End) {
        while true {
            if let end = receive(within: 30_000) { return (received, end) }
        }
    }

    /// Waits for something to come in.
    ///
    /// - Returns: how the connection has ended, or `nil` if it has not.
    package func receive(within milliseconds: CInt) -> End? {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&polled, 1, milliseconds) > 0 else { return .open }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { received += String(decoding: buffer[..<count], as: UTF8.self) }
        return count > 0 ? nil : count == 0 ? .closed : .reset
    }
}
