#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
package import HubLock

/// A TCP socket: thin wrappers over system calls. The socket is closed when it is deallocated.
package final class Socket: Sendable {
    private let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Creates a listening socket.
    ///
    /// - Parameters:
    ///   - literal: An IPv4 or IPv6 address. `::` also accepts IPv4 connections.
    ///   - port: The port; 0 selects a free port.
    static func listening(address literal: String, port: UInt16) throws(SocketError) -> Socket {
        let operation = "listen on \(literal.utf8.contains(UInt8(ascii: ":")) ? "[\(literal)]" : literal):\(port)"
        guard let address = SocketAddress(literal, port: port) else { throw SocketError(operation, code: EINVAL) }
        let socket = Socket(try SocketError.check("create a socket", systemSocket(address.family)))
        try socket.setOption(SOL_SOCKET, SO_REUSEADDR, CInt(1))
        if address.family == AF_INET6 { try socket.setOption(CInt(IPPROTO_IPV6), IPV6_V6ONLY, CInt(0)) }
        _ = try SocketError.check(operation, unsafe address.withPointer { unsafe bind(socket.descriptor, $0, $1) })
        _ = try SocketError.check(operation, listen(socket.descriptor, 128))
        return socket
    }

    /// Returns the port that the socket is bound to.
    func port() throws(SocketError) -> UInt16 {
        try SocketAddress(of: descriptor).port
    }

    /// Waits for the next connection and accepts it.
    ///
    /// - Parameters:
    ///   - wakeUp: The event that ends the wait.
    ///   - hasCapacity: Returns whether another connection can be served. It is called when a connection is pending, and
    ///     called again shortly after it returns `false`.
    ///   - onFailure: Called when accepting fails, for example because of too many open files.
    /// - Returns: The connection, or `nil` after `wakeUp` is signaled.
    func accept(until wakeUp: WakeUp, hasCapacity: () -> Bool, onFailure: () -> Void) -> Socket? {
        var pause: CInt = -1
        while true {
            // During a pause, only the event is polled.
            var polled = [
                pollfd(fd: descriptor, events: pause < 0 ? Int16(POLLIN) : 0, revents: 0),
                pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let status = unsafe poll(&polled, 2, pause)
            if status < 0, errno != EINTR { return nil }
            if polled[1].revents != 0 { return nil }
            let wasPaused = pause >= 0
            pause = -1
            if wasPaused || polled[0].revents == 0 { continue }
            guard hasCapacity() else {
                pause = 10
                continue
            }
            guard let connection = acceptPending() else {
                guard ![EINTR, ECONNABORTED, EAGAIN, EWOULDBLOCK].contains(errno) else { continue }
                onFailure()
                pause = 50
                continue
            }
            return connection
        }
    }

    private func acceptPending() -> Socket? {
        let accepted = systemAccept(descriptor)
        guard accepted >= 0 else { return nil }
        let socket = Socket(accepted)
        #if canImport(Darwin)
        // Without this option, which fails if the peer has disconnected, a write could end the process.
        guard (try? socket.setOption(SOL_SOCKET, SO_NOSIGPIPE, CInt(1))) != nil else {
            errno = ECONNABORTED
            return nil
        }
        #endif
        // This fails if the peer has disconnected; the first read then reports it.
        try? socket.setOption(CInt(IPPROTO_TCP), TCP_NODELAY, CInt(1))
        return socket
    }

    package func canReceive(by deadline: PeerDeadline, or events: [WakeUp]) throws(SocketError) -> Bool {
        try wait(for: POLLIN, by: deadline, or: events)
    }

    /// Waits until the connection fails, without reading what the peer sends.
    ///
    /// - Returns: `false` if the deadline has passed or an event is signaled.
    func fails(by deadline: PeerDeadline, or events: [WakeUp]) throws(SocketError) -> Bool {
        try wait(for: 0, by: deadline, or: events)
    }

    /// Waits for data and returns it; the result is empty if the peer has closed its sending side.
    package func receive() throws(SocketError) -> [UInt8] {
        var failure: SocketError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
            while true {
                let received = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
                if received < 0, errno == EINTR { continue }
                if received < 0 { failure = SocketError("receive") }
                count = max(received, 0)
                return
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Sends all bytes.
    ///
    /// - Parameter deadline: The time at which sending fails if the peer has not accepted all bytes.
    package func send(_ bytes: [UInt8], by deadline: PeerDeadline?) throws(SocketError) {
        var sent = 0
        while sent < bytes.count {
            let status = unsafe bytes.withUnsafeBytes { buffer in
                unsafe systemSend(
                    descriptor, buffer.baseAddress.map { unsafe $0 + sent }, buffer.count - sent,
                    deadline == nil ? 0 : CInt(MSG_DONTWAIT))
            }
            if status < 0, errno == EINTR { continue }
            if status < 0, let deadline, errno == EAGAIN || errno == EWOULDBLOCK {
                guard try wait(for: POLLOUT, by: deadline) else { throw SocketError("send", code: ETIMEDOUT) }
                continue
            }
            sent += try SocketError.check("send", status)
        }
    }

    /// Closes the sending side. The peer receives the remaining data and then the end of input.
    func stopSending() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Closes the receiving side. Received data can still be read, followed by the end of input.
    func stopReceiving() {
        shutdown(descriptor, CInt(SHUT_RD))
    }

    /// Shuts down both sides, which wakes threads that wait on the socket.
    func shutDown() {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// Makes closing the socket reset the connection and discard unsent data.
    package func resetOnClose() throws(SocketError) {
        try setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    private func wait(
        for event: CInt, by deadline: PeerDeadline, or events: [WakeUp] = []
    ) throws(SocketError) -> Bool {
        // Otherwise, an event reports changes of the listener's state.
        let interval = events.isEmpty ? PeerDeadline.checkInterval : .seconds(1000)
        while true {
            let left = deadline.time - .now
            // Checked even if data is available, so that the deadline also applies to a peer that sends continuously.
            guard left > .zero else { return false }
            var polled = [pollfd(fd: descriptor, events: Int16(event), revents: 0)]
            polled += events.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            let milliseconds = min(left, interval) / .milliseconds(1)
            let status = unsafe poll(&polled, nfds_t(polled.count), CInt(milliseconds.rounded(.up)))
            if status < 0, errno == EINTR { continue }
            if try SocketError.check("poll a socket", status) > 0 { return polled[0].revents != 0 }
        }
    }

    private func setOption<Value: BitwiseCopyable>(_ level: CInt, _ name: CInt, _ value: Value) throws(SocketError) {
        var value = value
        let size = socklen_t(MemoryLayout<Value>.size)
        _ = try SocketError.check("set a socket option", unsafe setsockopt(descriptor, level, name, &value, size))
    }
}

// Child processes do not inherit descriptors. A listening socket does not block: `poll` waits for connections.

private func systemSocket(_ family: CInt) -> CInt {
    #if canImport(Glibc)
    // Set atomically, so that a child process started by another thread does not inherit the socket and keep the port open.
    let descriptor = socket(family, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #else
    let descriptor = socket(family, SOCK_STREAM, 0)
    #endif
    return closedOnExec(descriptor, O_NONBLOCK)
}

private func systemAccept(_ descriptor: CInt) -> CInt {
    closedOnExec(accept(descriptor, nil, nil), 0)
}

private func systemSend(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: CInt) -> Int {
    #if canImport(Darwin)
    unsafe send(descriptor, bytes, count, flags)
    #else
    unsafe send(descriptor, bytes, count, flags | CInt(MSG_NOSIGNAL))
    #endif
}

/// Sets a descriptor's status flags, and closes it in child processes on `exec`.
func closedOnExec(_ descriptor: CInt, _ flags: CInt) -> CInt {
    if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, flags)
    }
    return descriptor
}

/// A failed system call.
package struct SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The attempted operation, such as `create a socket`.
    let operation: String
    /// The system's error number.
    package let code: Int32

    /// The operation and the reason, in one line.
    package var description: String {
        "cannot \(operation): \(unsafe String(cString: strerror(code)))"
    }

    /// Creates an error. The default code is the calling thread's `errno`.
    init(_ operation: String, code: Int32 = errno) {
        self.operation = operation
        self.code = code
    }

    /// Returns the result of a system call, or throws if it is negative.
    static func check<Status: SignedInteger>(_ operation: String, _ status: Status) throws(SocketError) -> Status {
        guard status >= 0 else { throw SocketError(operation) }
        return status
    }
}
