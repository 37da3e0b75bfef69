/// A scheduler that hashes many messages in parallel: each lane processes one message, then takes the next.
///
/// A step absorbs as many blocks into every lane as the shortest lane has left. Messages of equal length therefore
/// proceed together, and a longer one does not delay the others. While enough lanes are busy, a step uses AVX-512 for
/// all sixteen. Otherwise messages are processed in pairs, or one by one on processors without a pair kernel.
///
/// The lanes are in stack memory that `run` provides.
@unsafe struct Lanes {
    /// The number of lanes of the widest kernel.
    private static let width = 16

    /// The number of busy lanes from which an AVX-512 step is faster than pairs.
    ///
    /// Measured: 12.5 on Zen 4 and 10.4 on Zen 5.
    private static let minimumOverPairs = 12

    /// The number of busy lanes from which an AVX-512 step is faster than the portable kernel.
    private static let minimumOverPortable = 3

    private let kernels: KernelChoice
    private let minimumForAVX512: Int
    private let work: Work
    private let results: UnsafeMutablePointer<BigEndianWords>
    private var nextMessage = 0

    private let lanes: UnsafeMutableBufferPointer<Lane>
    /// The hash value and the next block of each lane, contiguous as the kernel requires.
    private let hashes: UnsafeMutableBufferPointer<HashValue>
    private let blocks: UnsafeMutableBufferPointer<UnsafeRawPointer>

    /// The messages to hash.
    @unsafe enum Work {
        case messages(UnsafeBufferPointer<UnsafeRawBufferPointer>)
        /// Messages to authenticate with a key.
        case authenticated(UnsafeBufferPointer<UnsafeRawBufferPointer>, KeyStates)
        /// Messages to authenticate: absorbed prefixes that all continue with the same suffix.
        case completed(UnsafeBufferPointer<HMAC.Prefix>, UnsafeRawBufferPointer)
    }

    /// Writes the digest or authentication code of each message to `results`, which has capacity for all of them.
    static func run(_ work: Work, kernels: KernelChoice, results: UnsafeMutablePointer<BigEndianWords>) {
        let minimum = unsafe kernels.hasPair ? minimumOverPairs : minimumOverPortable
        let count = unsafe work.count
        let usesAVX512 = kernels.hasLanes && count >= minimum
        guard count > 1, usesAVX512 || kernels.hasPair else {
            for index in 0..<count {
                unsafe (results + index).initialize(to: BigEndianWords(work.hash(index, kernels)))
            }
            return
        }
        let width = unsafe usesAVX512 ? width : 2
        var lanes = Sixteen(repeating: Lane())
        var hashes = Sixteen(repeating: HashValue.zero)
        unsafe lanes.withFirst(width) { lanes in
            // A valid placeholder address until a lane gets its first block.
            let placeholder = unsafe UnsafeRawPointer(lanes.baseAddress.unsafelyUnwrapped)
            var blocks = unsafe Sixteen(repeating: placeholder)
            unsafe hashes.withFirst(width) { hashes in
                unsafe blocks.withFirst(width) { blocks in
                    var all = unsafe Lanes(
                        kernels: kernels, minimumForAVX512: minimum, work: work, results: results, lanes: lanes,
                        hashes: hashes, blocks: blocks)
                    unsafe all.run()
                }
            }
        }
    }

    private mutating func run() {
        while true {
            var activeCount = 0
            var step = Int.max
            for lane in unsafe lanes.indices {
                if unsafe lanes[lane].blocksLeft == 0 { unsafe advance(lane) }
                let left = unsafe lanes[lane].blocksLeft
                guard left > 0 else { continue }
                activeCount += 1
                step = min(step, left)
            }
            if activeCount == 0 { return }
            if unsafe kernels.hasLanes && activeCount >= minimumForAVX512 {
                unsafe absorbInAll(step)
            } else {
                unsafe absorbInFirst()
            }
        }
    }

    // MARK: Steps

    /// Absorbs blocks into every lane. Idle lanes read a busy lane's blocks, and their results are ignored.
    private func absorbInAll(_ count: Int) {
        let busy = unsafe lanes.firstIndex { $0.blocksLeft > 0 } ?? 0
        for lane in unsafe lanes.indices where unsafe lanes[lane].blocksLeft == 0 { unsafe blocks[lane] = blocks[busy] }
        unsafe kernels.compressLanes(
            hashes.baseAddress.unsafelyUnwrapped, UnsafePointer(blocks.baseAddress.unsafelyUnwrapped), count: count)
        for lane in unsafe lanes.indices where unsafe lanes[lane].blocksLeft > 0 { unsafe didAbsorb(count, lane) }
    }

    /// Absorbs blocks into the first two busy lanes, or into the only one.
    private func absorbInFirst() {
        guard let first = unsafe lanes.firstIndex(where: { $0.blocksLeft > 0 }) else { return }
        let second = unsafe lanes[(first + 1)...].firstIndex { $0.blocksLeft > 0 }
        if unsafe kernels.hasPair, let second {
            let count = unsafe min(lanes[first].blocksLeft, lanes[second].blocksLeft)
            unsafe kernels.compressPair(&hashes[first], blocks[first], &hashes[second], blocks[second], count: count)
            unsafe didAbsorb(count, first)
            unsafe didAbsorb(count, second)
        } else {
            let count = unsafe lanes[first].blocksLeft
            unsafe kernels.compress(&hashes[first], blocks[first], count: count)
            unsafe didAbsorb(count, first)
        }
    }

    @inline(__always)
    private func didAbsorb(_ count: Int, _ lane: Int) {
        unsafe blocks[lane] += count &* 64
        unsafe lanes[lane].blocksLeft &-= count
    }

    // MARK: Lane transitions

    /// Assigns the next part of its message, or the next message, to an idle lane.
    private mutating func advance(_ lane: Int) {
        while unsafe lanes[lane].blocksLeft == 0 {
            switch unsafe lanes[lane].part {
            case .none:
                guard unsafe nextMessage < work.count else { return }
                unsafe begin(lane)
            case .wholeBlocks:
                unsafe end(lane)
            case .end:
                if let outer = unsafe work.outerState(lanes[lane].message) {
                    unsafe beginOuter(lane, outer)
                } else {
                    unsafe finish(lane)
                }
            case .outer:
                unsafe finish(lane)
            }
        }
    }

    @inline(__always)
    private mutating func begin(_ lane: Int) {
        let index = unsafe nextMessage
        unsafe nextMessage += 1
        unsafe lanes[lane].message = index
        switch unsafe work {
        case .messages(let messages):
            unsafe begin(lane, messages[index], from: SHA256.initialHash)
        case .authenticated(let messages, let key):
            unsafe begin(lane, messages[index], from: key.inner)
        case .completed(let prefixes, _):
            unsafe hashes[lane] = prefixes[index].innerState
            unsafe lanes[lane].part = .wholeBlocks
        }
    }

    @inline(__always)
    private func begin(_ lane: Int, _ message: UnsafeRawBufferPointer, from hash: HashValue) {
        unsafe hashes[lane] = hash
        guard let start = message.baseAddress else {
            unsafe lanes[lane].part = .wholeBlocks
            return
        }
        unsafe take(.wholeBlocks, lane, start, message.count / 64)
    }

    @inline(__always)
    private func end(_ lane: Int) {
        unsafe lanes[lane].end = MessageEnd()
        unsafe withUnsafeMutableBytes(of: &lanes[lane].end) { end in
            let count = unsafe work.writeEnd(lanes[lane].message, into: end)
            unsafe take(.end, lane, UnsafeRawPointer(end.baseAddress.unsafelyUnwrapped), count)
        }
    }

    @inline(__always)
    private func beginOuter(_ lane: Int, _ outer: HashValue) {
        unsafe withUnsafeMutableBytes(of: &lanes[lane].end) { end in
            unsafe end.storeBytes(of: OuterBlock(hashes[lane]), as: OuterBlock.self)
            unsafe hashes[lane] = outer
            unsafe take(.outer, lane, UnsafeRawPointer(end.baseAddress.unsafelyUnwrapped), 1)
        }
    }

    @inline(__always)
    private func take(_ part: Lane.Part, _ lane: Int, _ start: UnsafeRawPointer, _ count: Int) {
        unsafe lanes[lane].part = part
        unsafe lanes[lane].blocksLeft = count
        unsafe blocks[lane] = start
    }

    @inline(__always)
    private func finish(_ lane: Int) {
        unsafe (results + lanes[lane].message).initialize(to: BigEndianWords(hashes[lane]))
        unsafe lanes[lane].part = .none
    }
}

/// The state of one lane.
private struct Lane {
    /// The parts of a message, in order.
    enum Part {
        case none
        /// The whole blocks of the message.
        case wholeBlocks
        /// The remaining bytes and the padding.
        case end
        /// The outer hash of HMAC.
        case outer
    }

    var part = Part.none
    var blocksLeft = 0
    /// The index of the message in the window.
    var message = 0
    /// The last blocks of the message, or the block of the outer hash.
    var end = MessageEnd()
}

extension Lanes.Work {
    var count: Int {
        switch unsafe self {
        case .messages(let messages): messages.count
        case .authenticated(let messages, _): messages.count
        case .completed(let prefixes, _): prefixes.count
        }
    }

    /// Writes the last blocks of a message into two blocks of zeros.
    ///
    /// - Returns: The number of blocks used.
    @inline(__always)
    func writeEnd(_ index: Int, into blocks: UnsafeMutableRawBufferPointer) -> Int {
        switch unsafe self {
        case .messages(let messages):
            unsafe MessageEnd.write(
                endOf: messages[index], count: messages[index].count & 63, of: UInt64(messages[index].count),
                into: blocks)
        case .authenticated(let messages, _):
            unsafe MessageEnd.write(
                endOf: messages[index], count: messages[index].count & 63,
                of: UInt64(SHA256.blockByteCount + messages[index].count), into: blocks)
        case .completed(let prefixes, let suffix):
            unsafe prefixes[index].write(suffix, to: blocks)
        }
    }

    /// Returns the initial state of the outer hash for an authentication code, or `nil` for a digest.
    func outerState(_ index: Int) -> HashValue? {
        switch unsafe self {
        case .messages: nil
        case .authenticated(_, let key): key.outer
        case .completed(let prefixes, _): unsafe prefixes[index].outerState
        }
    }

    /// Returns the hash value of a single message.
    func hash(_ index: Int, _ kernels: KernelChoice) -> HashValue {
        switch unsafe self {
        case .messages(let messages):
            var hash = SHA256.initialHash
            unsafe kernels.absorbEnd(&hash, messages[index], after: 0)
            return hash
        case .authenticated(let messages, let key):
            return unsafe key.hash(messages[index])
        case .completed(let prefixes, let suffix):
            return unsafe prefixes[index].hash(appending: suffix)
        }
    }
}

/// Sixteen values on the stack, of any size. `withUnsafeTemporaryAllocation` uses the heap above 1 KiB.
private struct Sixteen<Element: BitwiseCopyable> {
    private typealias Four = (Element, Element, Element, Element)

    private var elements: (Four, Four, Four, Four)

    @inline(__always)
    init(repeating element: Element) {
        let four = (element, element, element, element)
        elements = (four, four, four, four)
    }

    /// Calls `body` with the first `count` values.
    @inline(__always)
    mutating func withFirst(_ count: Int, _ body: (UnsafeMutableBufferPointer<Element>) -> Void) {
        precondition(count <= 16)
        unsafe withUnsafeMutableBytes(of: &elements) { bytes in
            unsafe body(UnsafeMutableBufferPointer(rebasing: bytes.assumingMemoryBound(to: Element.self)[..<count]))
        }
    }
}
