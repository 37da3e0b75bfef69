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

    /// A socket that waits for connections on 127.0.0.1.
    ///
    /// - Parameter port: 0 lets the system choose.
    static func listening(port: UInt16) throws(SocketError) -> Socket {
        let socket = Socket(try SocketError.check("socket", systemSocket()))
        try socket.setOption(SOL_SOCKET, SO_REUSEADDR, CInt(1))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let bound = unsafe withSocketAddress(&address) { unsafe bind(socket.descriptor, $0, $1) }
        try SocketError.check("listen on 127.0.0.1:\(port)", bound)
        try SocketError.check("listen on 127.0.0.1:\(port)", listen(socket.descriptor, 128))
        return socket
    }

    /// The port that the socket is bound to.
    func port() throws(SocketError) -> UInt16 {
        var address = sockaddr_in()
        let status = unsafe withSocketAddress(&address) { pointer, length in
            var length = length
            return unsafe getsockname(descriptor, pointer, &length)
        }
        try SocketError.check("getsockname", status)
        return UInt16(bigEndian: address.sin_port)
    }

    /// Waits for the next connection.
    ///
    /// - Returns: `nil` once `waker` has something to read.
    func accept(unless waker: WakeUp) -> Socket? {
        var pause: CInt = -1
        while true {
            // After a failure, such as too many open files, it is tried again a little later.
            var polled = [
                pollfd(fd: descriptor, events: pause < 0 ? Int16(POLLIN) : 0, revents: 0), waker.pollDescriptor,
            ]
            let status = unsafe poll(&polled, 2, pause)
            if status < 0, errno != EINTR { return nil }
            if polled[1].revents != 0 { return nil }
            let wasPaused = pause >= 0
            pause = -1
            if wasPaused { continue }
            guard let connection = acceptedNow() else {
                if ![EINTR, ECONNABORTED, EAGAIN, EWOULDBLOCK].contains(errno) { pause = 50 }
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

    /// Lets a call that waits for the peer fail after so many seconds.
    func setTimeout(seconds: Int) throws(SocketError) {
        try setOption(SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: seconds, tv_usec: 0))
        try setOption(SOL_SOCKET, SO_SNDTIMEO, timeval(tv_sec: seconds, tv_usec: 0))
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

    /// Sends all of it.
    package func send(_ bytes: [UInt8]) throws(SocketError) {
        var sent = 0
        while sent < bytes.count {
            let status = unsafe bytes.withUnsafeBytes { buffer in
                unsafe systemSend(descriptor, buffer.baseAddress.map { unsafe $0 + sent }, buffer.count - sent)
            }
            if status < 0, errno == EINTR { continue }
            sent += try SocketError.check("send", status)
        }
    }

    /// Ends the connection, so that whoever waits on it wakes up.
    func shutDown() {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    private func setOption<Value: BitwiseCopyable>(_ level: CInt, _ name: CInt, _ value: Value) throws(SocketError) {
        var value = value
        let size = socklen_t(MemoryLayout<Value>.size)
        try SocketError.check("setsockopt", unsafe setsockopt(descriptor, level, name, &value, size))
    }
}

/// Wakes a thread up that waits in ``Socket/accept(unless:)``.
final class WakeUp: Sendable {
    private let reading: CInt
    private let writing: CInt

    init() throws(SocketError) {
        var ends: [CInt] = [0, 0]
        try SocketError.check("pipe", systemPipe(&ends))
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    func signal() {
        var byte: UInt8 = 1
        _ = unsafe write(writing, &byte, 1)
    }

    var pollDescriptor: pollfd { pollfd(fd: reading, events: Int16(POLLIN), revents: 0) }
}

// Descriptors are not for child processes, and waiting for a connection is poll's part, not accept's.

private func systemSocket() -> CInt {
    #if canImport(Glibc)
    // At once, so that no child that another thread starts has the port: it would keep it.
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    return closedOnExec(descriptor, O_NONBLOCK)
}

private func systemAccept(_ descriptor: CInt) -> CInt {
    closedOnExec(accept(descriptor, nil, nil), 0)
}

private func systemPipe(_ ends: inout [CInt]) -> CInt {
    let status = unsafe pipe(&ends)
    if status == 0 { for end in ends { _ = closedOnExec(end, 0) } }
    return status
}

private func closedOnExec(_ descriptor: CInt, _ flags: CInt) -> CInt {
    if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, flags)
    }
    return descriptor
}

private func systemSend(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
    unsafe send(descriptor, bytes, count, 0)
    #else
    unsafe send(descriptor, bytes, count, CInt(MSG_NOSIGNAL))
    #endif
}

private func withSocketAddress(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> CInt
) -> CInt {
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
