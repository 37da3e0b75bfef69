import Foundation

/// A port on 127.0.0.1 that a test can listen on repeatedly and that the system assigns to no other socket.
///
/// A socket is bound to the port but does not listen, so connections are refused until a server listens on it. A server
/// that sets `SO_REUSEADDR`, as the emulator does, can listen on the port. Darwin does not allow a second socket on the
/// port. There, the reservation is released, and another socket is merely unlikely to get the port.
package final class ReservedPort {
    /// The port number.
    package let number: UInt16
    private let descriptor: CInt

    /// A failed system call.
    struct SystemCallError: Error {
        let code = errno
    }

    /// Reserves a port that the system chooses.
    package init() throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var isReused: CInt = 1
        var size = socklen_t(MemoryLayout<CInt>.size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        guard descriptor >= 0, unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, size) == 0 else {
            throw SystemCallError()
        }
        size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, size) == 0 ? unsafe getsockname(descriptor, $0, &size) : -1
            }
        }
        guard status == 0 else { throw SystemCallError() }
        number = UInt16(bigEndian: address.sin_port)
        #if canImport(Darwin)
        close(descriptor)
        #endif
    }

    deinit {
        #if !canImport(Darwin)
        close(descriptor)
        #endif
    }
}
