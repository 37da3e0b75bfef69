import HubCrypto
import HubText

/// Tokens that a ``SASBatchSigner`` has signed together, in one allocation.
///
/// ```swift
/// let batch = signer.tokens(validFor: .seconds(600))
/// for index in batch.indices {
///     batch.withHeaderValue(at: index) { request.write("Authorization", $0) }
/// }
/// ```
///
/// An element is created when it is accessed, which allocates its text. ``withHeaderValue(at:_:)`` allocates nothing.
public struct SASTokenBatch: RandomAccessCollection, Sendable {
    /// A ``Record`` for each token, followed by the texts.
    private let bytes: ContiguousArray<UInt8>
    private let writers: [TokenWriter]
    private let expiry: Int64
    private let digitCount: Int

    /// The bytes before the texts, for each token.
    private struct Record {
        /// The end of the token's text, which starts at the end of the previous one.
        let end: Int
        let code: HMAC.AuthenticationCode
    }

    /// Creates a batch.
    ///
    /// - Parameters:
    ///   - writers: The tokens' writers.
    ///   - expiry: The expiry in seconds since 1970 UTC.
    ///   - digits: The decimal digits of the expiry.
    ///   - sign: Calls its argument with each token's index, in order, and its signature.
    @inline(__always)
    init(
        _ writers: [TokenWriter], expiry: Int64, digits: UnsafeBufferPointer<UInt8>,
        _ sign: ((Int, HMAC.AuthenticationCode) -> Void) -> Void
    ) {
        let start = writers.count * MemoryLayout<Record>.stride
        // Without a capacity, the initializer would write to the storage that all empty arrays share.
        let capacity = Swift.max(1, writers.reduce(start) { unsafe $0 + $1.maximumByteCount(digits) })
        bytes = unsafe ContiguousArray<UInt8>(unsafeUninitializedCapacity: capacity) { bytes, end in
            let bytes = UnsafeMutableRawBufferPointer(bytes)
            end = start
            sign { index, code in
                unsafe end += writers[index].write(
                    code, digits, to: UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
                unsafe bytes.storeBytes(
                    of: Record(end: end, code: code), toByteOffset: index * MemoryLayout<Record>.stride, as: Record.self
                )
            }
        }
        self.writers = writers
        self.expiry = expiry
        digitCount = digits.count
    }

    /// The index of the first token, 0.
    public var startIndex: Int { 0 }
    /// The number of tokens.
    public var endIndex: Int { writers.count }

    /// A token. Each access allocates its text.
    public subscript(index: Int) -> SASToken {
        let text = withHeaderValue(at: index) { String(copying: $0) }
        return writers[index].token(text, code: record(index).code, expiry: expiry, digitCount: digitCount)
    }

    /// Calls `body` with the value of a token's `Authorization` header, in ASCII, without a copy.
    ///
    /// - Parameters:
    ///   - index: The token's index.
    ///   - body: A closure that must not log the value.
    public func withHeaderValue<Result, Failure: Error>(
        at index: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(indices.contains(index), "no token at this index")
        let start = index > 0 ? record(index - 1).end : writers.count * MemoryLayout<Record>.stride
        return try body(bytes.span.extracting(start..<record(index).end))
    }

    private func record(_ index: Int) -> Record {
        unsafe bytes.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: index * MemoryLayout<Record>.stride, as: Record.self)
        }
    }
}

extension SASTokenBatch: CustomStringConvertible, CustomReflectable {
    /// The number of tokens.
    public var description: String { "SASTokenBatch(\(count) tokens)" }

    /// A mirror that contains the resources.
    public var customMirror: Mirror { Mirror(self, children: ["sr": writers.map(\.resource)]) }
}
