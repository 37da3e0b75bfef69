/// The search in encoded text, through at most three layers of encoding in any combination.
///
/// Each step yields text that is not longer than its source, except decompression. The output of all decompression in a piece of
/// the input is limited to a multiple of the piece, so the search takes linear time.
struct Decoding {
    private static let maximumDepth = 3
    /// The largest ratio of decompressed bytes to encoded bytes.
    private static let maximumExpansion = 64

    private let decompress: SecretScanner.Decompressor?
    /// The number of layers that are removed.
    private var depth = 0
    /// The number of bytes that decompression can still yield in this piece of the input.
    private var remaining = 0
    /// The number of bytes that were searched or decoded.
    private(set) var work = 0

    init(_ decompress: SecretScanner.Decompressor?) {
        self.decompress = decompress
    }

    /// Whether another layer can be removed.
    var canDecode: Bool { depth < Self.maximumDepth }

    /// Counts bytes that a step inspects.
    mutating func count(_ bytes: Int) { work += bytes }

    /// Starts a piece of text with a number of code units.
    mutating func startPiece(_ count: Int) {
        if depth == 0 { remaining = Self.maximumExpansion * count }
    }

    /// Returns the secrets in text from which a layer was removed.
    mutating func matches(in bytes: [UInt8]) -> [SecretMatch] {
        guard canDecode else { return [] }
        depth += 1
        defer { depth -= 1 }
        var scanner = SecretScanner(self)
        var matches = scanner.scan(bytes, bytes.indices, offset: 0)
        work = scanner.decoding.work
        remaining = scanner.decoding.remaining
        guard canDecode, let decompress, bytes.starts(with: [0x1f, 0x8b, 8]) else { return matches }
        let content = decompress(bytes, remaining)
        remaining -= content.count
        // The compressed bytes have no position for each decompressed byte.
        matches += self.matches(in: content).map { match in
            var match = match
            match.range = bytes.indices
            return match
        }
        return matches
    }
}
