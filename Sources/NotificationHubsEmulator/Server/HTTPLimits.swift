/// What a server puts up with from its clients.
package struct HTTPLimits: Sendable {
    /// Bytes of a request line and its headers, and of the trailers behind a body.
    package var headByteCount = 32 << 10
    /// Headers of a request, and trailers.
    package var headerCount = 100
    /// Bytes of a body.
    package var bodyByteCount = 1 << 20
    /// For how long a connection may be open without a request under way.
    package var idleTime = Duration.seconds(60)
    /// For how long a request line and headers may take, from the first byte to the last.
    package var headTime = Duration.seconds(10)
    /// For how long a body may take.
    package var bodyTime = Duration.seconds(30)
    /// For how long a client may take to read a response.
    package var writeTime = Duration.seconds(30)
    /// For how long a connection that is to be closed waits for the client to see the last response and close it too.
    package var lingerTime = Duration.seconds(2)
    /// Connections at a time. Others wait, and each response closes its connection as long as some do.
    package var connectionCount = 512

    /// The usual limits.
    package init() {}
}
