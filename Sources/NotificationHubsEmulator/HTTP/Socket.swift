#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A TCP socket: thin wrappers over the system's calls. It is closed when the last reference goes.
package final class Socket: Sendable {
    private let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// A socket that waits for connections.
    ///
    /// - Parameters:
    ///   - address: an IPv4 or IPv6 literal. `::` takes connections by IPv4 too.
    ///   - port: 0 lets the system choose.
    static func listening(address literal: String, port: UInt16) throws(SocketError) -> Socket {
        let operation = "listen on \(literal.utf8.contains(UInt8(ascii: ":")) ? "[\(literal)]" : literal):\(port)"
        guard let address = SocketAddress(literal, port: port) else { throw SocketError(operation, code: EINVAL) }
        let socket = Socket(try SocketError.check("socket", systemSocket(address.family)))
        try socket.setOption(SOL_SOCKET, SO_REUSEADDR, CInt(1))
        if address.family == AF_INET6 { try socket.setOption(CInt(IPPROTO_IPV6), IPV6_V6ONLY, CInt(0)) }
        try SocketError.check(operation, unsafe address.withPointer { unsafe bind(socket.descriptor, $0, $1) })
        try SocketError.check(operation, listen(socket.descriptor, 128))
        return socket
    }

    /// The port that the socket is bound to.
    func port() throws(SocketError) -> UInt16 {
        try SocketAddress(of: descriptor).port
    }

    /// Waits for the next connection.
    ///
    /// - Parameters:
    ///   - waker: ends the waiting.
    ///   - hasRoom: whether one more can be taken. It is asked when one waits, and again a little later if not.
    ///   - hasFailed: is called when one cannot be taken, such as for too many open files.
    /// - Returns: `nil` once `waker` has something to read.
    func accept(unless waker: WakeUp, hasRoom: () -> Bool, hasFailed: () -> Void) -> Socket? {
        var pause: CInt = -1
        while true {
            // After a failure, it is tried again a little later.
            var polled = [
                pollfd(fd: descriptor, events: pause < 0 ? Int16(POLLIN) : 0, revents: 0), waker.pollDescriptor,
            ]
            let status = unsafe poll(&polled, 2, pause)
            if status < 0, errno != EINTR { return nil }
            if polled[1].revents != 0 { return nil }
            let wasPaused = pause >= 0
            pause = -1
            if wasPaused || polled[0].revents == 0 { continue }
            guard hasRoom() else {
                pause = 10
                continue
            }
            guard let connection = acceptedNow() else {
                guard ![EINTR, ECONNABORTED, EAGAIN, EWOULDBLOCK].contains(errno) else { continue }
                hasFailed()
                pause = 50
                continue
            }
            return connection
        }
    }

    private func acceptedNow() -> Socket? {
        let accepted = systemAccept(descriptor)
        guard accepted >= 0 else { return nil }
        let socket = Socket(accepted)
        // A peer that is gone already makes these fail; serving it will tell.
        try? socket.setOption(CInt(IPPROTO_TCP), TCP_NODELAY, CInt(1))
        #if canImport(Darwin)
        try? socket.setOption(SOL_SOCKET, SO_NOSIGPIPE, CInt(1))
        #endif
        return socket
    }

    /// Waits until ``receive()`` does not.
    ///
    /// - Returns: `false` once the time is up.
    func canReceive(by deadline: ContinuousClock.Instant) throws(SocketError) -> Bool {
        try wait(for: POLLIN, by: deadline)
    }

    /// What has come in; empty when the peer sends no more.
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

    /// What has come in already; empty when the peer sends no more, and `nil` if nothing has.
    func receiveNow() throws(SocketError) -> [UInt8]? {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&polled, 1, 0) > 0 ? try receive() : nil
    }

    /// Sends all of it.
    ///
    /// - Parameter deadline: when to fail, if the peer takes it too slowly.
    package func send(_ bytes: [UInt8], by deadline: ContinuousClock.Instant? = nil) throws(SocketError) {
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

    /// Sends no more; the peer sees the end behind what was sent.
    func stopSending() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Has the end come behind what was received.
    func stopReceiving() {
        shutdown(descriptor, CInt(SHUT_RD))
    }

    /// Ends the connection, so that whoever waits on it wakes up.
    func shutDown() {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// Has closing reset the connection, and what was not sent yet thrown away.
    package func resetOnClose() throws(SocketError) {
        try setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    private func wait(for event: CInt, by deadline: ContinuousClock.Instant) throws(SocketError) -> Bool {
        while true {
            let left = (deadline - .now) / .milliseconds(1)
            // Even if there is something: who sends without end is to be stopped too.
            guard left > 0 else { return false }
            var polled = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let status = unsafe poll(&polled, 1, CInt(min(left.rounded(.up), 1e6)))
            if status < 0, errno == EINTR { continue }
            if try SocketError.check("poll", status) > 0 { return true }
        }
    }

    private func setOption<Value: BitwiseCopyable>(_ level: CInt, _ name: CInt, _ value: Value) throws(SocketError) {
        var value = value
        let size = socklen_t(MemoryLayout<Value>.size)
        try SocketError.check("setsockopt", unsafe setsockopt(descriptor, level, name, &value, size))
    }
}

// Descriptors are not for child processes, and waiting for a connection is poll's part, not accept's.

private func systemSocket(_ family: CInt) -> CInt {
    #if canImport(Glibc)
    // At once, so that no child that another thread starts has the port: it would keep it.
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

/// Closes a descriptor when a child process begins another program.
func closedOnExec(_ descriptor: CInt, _ flags: CInt) -> CInt {
    if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, flags)
    }
    return descriptor
}

/// A call of the system's that failed.
package struct SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was to be done.
    let operation: String
    /// The system's error number.
    package let code: Int32

    /// What failed and why, in one line.
    package var description: String {
        "cannot \(operation): \(unsafe String(cString: strerror(code)))"
    }

    /// A failure, by the number that the system has just left for this thread unless another is given.
    init(_ operation: String, code: Int32 = errno) {
        self.operation = operation
        self.code = code
    }

    /// Passes a call's result on, unless it is negative.
    @discardableResult
    static func check<Status: SignedInteger>(_ operation: String, _ status: Status) throws(SocketError) -> Status {
        guard status >= 0 else { throw SocketError(operation) }
        return status
    }
}
