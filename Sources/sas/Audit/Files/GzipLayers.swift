import HubTokenScanner

/// A search in a file, in its content if it is a gzip file, and so on for at most three layers of gzip.
///
/// The compressed bytes are searched, too: they contain the names and comments of the headers, and bytes after the last member.
struct GzipLayers {
    private static let maximumCount = 3
    /// The largest number of bytes that gzip inside gzip may contain. The format limits the size of the first layer's content to about
    /// 1030 times that of the file.
    private static let maximumInnerCount = 1 << 28

    /// The searches in the file and in the content of each layer.
    private var audits = [FileAudit()]
    /// The first bytes of the innermost content, until they show whether it is a gzip file.
    private var start: [UInt8]? = []
    private var inflaters: [Zlib.Inflater] = []
    /// The layers with invalid data.
    private var invalid: Set<Int> = []
    private var innerCount = 0
    /// Whether the file is a gzip file, but zlib is missing.
    private var isCompressed = false
    /// The layer in which each secret was found, by its fingerprint. A gzip file can store content without compression.
    private var found: [String: Int] = [:]

    /// An error for nested gzip files of an excessive size.
    struct SizeError: Error, CustomStringConvertible {
        var description: String { "nested gzip data contains more than 256 MiB" }
    }

    /// Returns whether some bytes are the start of a gzip file.
    static func isGzip(_ start: [UInt8]) -> Bool { start.starts(with: [0x1f, 0x8b, 8]) }

    /// Searches the next bytes of the file.
    mutating func search(_ piece: [UInt8], _ body: (FileAudit.Location) throws -> Void) throws {
        try search(piece, layer: 0, body)
    }

    private mutating func search(_ piece: [UInt8], layer: Int, _ body: (FileAudit.Location) throws -> Void) throws {
        if layer > 1 {
            innerCount += piece.count
            guard innerCount <= Self.maximumInnerCount else { throw SizeError() }
        }
        var locations: [FileAudit.Location] = []
        try audits[layer].search(piece) { locations.append($0) }
        try report(locations, layer, body)
        var piece = piece
        if layer == inflaters.count {
            guard let start = start.map({ $0 + piece }) else { return }
            guard start.count >= 3 else { return self.start = start }
            self.start = nil
            guard Self.isGzip(start), layer < Self.maximumCount else { return }
            guard let zlib = Zlib.shared else { return isCompressed = true }
            inflaters.append(try Zlib.Inflater(zlib))
            audits.append(FileAudit())
            (self.start, piece) = ([], start)
        }
        guard !invalid.contains(layer) else { return }
        do {
            try inflaters[layer].write(piece) { try search($0, layer: layer + 1, body) }
        } catch is Zlib.DataError {
            invalid.insert(layer)
        }
    }

    /// Searches the end of the file.
    ///
    /// - Throws: ``Zlib/DataError`` if a part of the file could not be decompressed.
    mutating func finish(_ body: (FileAudit.Location) throws -> Void) throws -> FileAudit.Extent {
        for layer in audits.indices {
            var locations: [FileAudit.Location] = []
            try audits[layer].finish { locations.append($0) }
            try report(locations, layer, body)
        }
        // A file without content only starts like a gzip file.
        for layer in inflaters.indices where audits[layer + 1].byteCount > 0 {
            if invalid.contains(layer) { throw Zlib.DataError() }
            try inflaters[layer].end()
        }
        return FileAudit.Extent(
            byteCount: audits.map(\.byteCount).last { $0 > 0 } ?? 0, isCompressed: isCompressed)
    }

    private mutating func report(
        _ locations: [FileAudit.Location], _ layer: Int, _ body: (FileAudit.Location) throws -> Void
    ) throws {
        for location in locations {
            if !inflaters.isEmpty {
                let first = found[location.match.fingerprint, default: layer]
                if first != layer { continue }
                found[location.match.fingerprint] = layer
            }
            try body(location)
        }
    }
}
