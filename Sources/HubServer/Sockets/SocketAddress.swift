#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An IP address and port for system calls.
enum SocketAddress {
    case v4(sockaddr_in)
    case v6(sockaddr_in6)

    /// Creates an address from text such as `127.0.0.1` or `::1`, or returns `nil` if the text is not an IP address.
    init?(_ literal: String, port: UInt16) {
        var v4 = sockaddr_in()
        if unsafe inet_pton(AF_INET, literal, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            self = .v4(v4)
            return
        }
        var v6 = sockaddr_in6()
        guard unsafe inet_pton(AF_INET6, literal, &v6.sin6_addr) == 1 else { return nil }
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = port.bigEndian
        self = .v6(v6)
    }

    /// Creates the address that a socket is bound to.
    init(of descriptor: CInt) throws(SocketError) {
        // Large enough for both address families.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        _ = try SocketError.check("read a socket's address", status)
        if CInt(address.sin6_family) == AF_INET6 {
            self = .v6(address)
            return
        }
        self = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { .v4(unsafe $0.pointee) }
        }
    }

    var family: CInt {
        switch self {
        case .v4: AF_INET
        case .v6: AF_INET6
        }
    }

    var port: UInt16 {
        switch self {
        case .v4(let address): UInt16(bigEndian: address.sin_port)
        case .v6(let address): UInt16(bigEndian: address.sin6_port)
        }
    }

    func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        switch self {
        case .v4(let address): unsafe Self.withPointer(to: address, body)
        case .v6(let address): unsafe Self.withPointer(to: address, body)
        }
    }

    private static func withPointer<Address>(
        to address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
