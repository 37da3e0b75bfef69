/// The number of frames that an HTTP/2 client may still send.
///
/// Frames of all types count. Time, bodies in both directions and served requests replenish the budget, so a client that sends
/// requests and receives responses does not reach the limit.
struct HTTP2FrameBudget: Sendable {
    private let limit: HTTP2FrameLimit
    private var left: Double
    private var lastTime: ContinuousClock.Instant
    private var counter = HTTP2FrameCounter()

    /// Creates a full budget.
    init(_ limit: HTTP2FrameLimit, at time: ContinuousClock.Instant) {
        (self.limit, left, lastTime) = (limit, Double(limit.perSecond), time)
    }

    /// Whether the client has sent too many frames.
    var isExceeded: Bool { left < 0 }

    /// Adds the frames for the time since the last call, and counts the frames in received bytes.
    mutating func spend(_ bytes: [UInt8], at time: ContinuousClock.Instant) {
        add(Double(limit.perSecond) * ((time - lastTime) / .seconds(1)))
        lastTime = time
        left -= Double(counter.count(bytes))
    }

    /// Adds the frames for a part of a body.
    mutating func addBody(byteCount: Int) { add(Double(byteCount) / Double(limit.bodyBytesPerFrame)) }

    /// Adds the frames for a served request.
    mutating func addRequest() { add(Double(limit.perRequest)) }

    /// An exceeded budget stays exceeded.
    private mutating func add(_ count: Double) {
        if !isExceeded { left = min(left + count, Double(limit.perSecond)) }
    }
}

/// A counter of the frames in the bytes of a client. libnghttp2 does not report the frames that it ignores.
struct HTTP2FrameCounter: Sendable {
    /// The number of bytes before the next frame: first those of the client's preface (RFC 9113 §3.4).
    private var skipped = 24
    /// The number of received bytes of a frame's header.
    private var headerByteCount = 0
    private var length = 0

    /// Returns the number of frames whose headers end in the bytes.
    mutating func count(_ bytes: [UInt8]) -> Int {
        var (count, index) = (0, 0)
        while index < bytes.count {
            if skipped > 0 {
                let step = min(skipped, bytes.count - index)
                (skipped, index) = (skipped - step, index + step)
                continue
            }
            // A header has the length in three bytes, and six more bytes.
            if headerByteCount < 3 { length = length << 8 | Int(bytes[index]) }
            (headerByteCount, index) = (headerByteCount + 1, index + 1)
            if headerByteCount == 9 {
                count += 1
                (skipped, headerByteCount, length) = (length, 0, 0)
            }
        }
        return count
    }
}
