#if !canImport(Darwin)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Testing

@testable import NotificationHubsHTTP

@Suite struct CurlSocketsTests {
    /// The ends of a connection.
    private let (client, server): (CInt, CInt)
    private let sockets = CurlSockets()

    init() {
        var ends: [CInt] = [0, 0]
        #expect(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        (client, server) = (ends[0], ends[1])
    }

    @Test func `keeps a connection that is open`() {
        defer { for socket in [client, server] { close(socket) } }
        sockets.add(client, openedBy: 7)
        for _ in 0..<2 { #expect(!sockets.shutDownIfClosed(1, for: 7)) }
        #expect(canSend)
    }

    @Test func `shuts down a connection that the server has closed`() {
        defer { close(client) }
        sockets.add(client, openedBy: 7)
        #expect(!sockets.shutDownIfClosed(1, for: 7))
        close(server)
        #expect(sockets.shutDownIfClosed(1, for: 8))
        #expect(!canSend)
    }

    @Test func `shuts down a connection on which the server has sent an unexpected byte`() {
        defer { for socket in [client, server] { close(socket) } }
        sockets.add(client, openedBy: 7)
        #expect(!sockets.shutDownIfClosed(1, for: 7))
        #expect(unsafe send(server, "x", 1, 0) == 1)
        #expect(sockets.shutDownIfClosed(1, for: 7))
        #expect(!canSend)
    }

    @Test func `does not shut down a socket with the number of a closed one`() {
        defer { close(client) }
        sockets.add(client, openedBy: 7)
        #expect(!sockets.shutDownIfClosed(1, for: 7))
        sockets.remove(client)
        close(server)
        #expect(!sockets.shutDownIfClosed(1, for: 7))
    }

    private var canSend: Bool { unsafe send(client, "x", 1, CInt(MSG_NOSIGNAL)) == 1 }
}
#endif
