import HubText

/// A parser of concatenated XML documents that arrive in chunks.
///
/// Each document has its own XML declaration, which names UTF-16 even in other encodings. The reader detects the encoding
/// from the first bytes.
struct FeedbackReader {
    private var bytes: [UInt8] = []
    /// The number of parsed bytes in `bytes`.
    private var position = 0
    /// The number of bytes that were removed from the start of `bytes`.
    private var removedCount = 0
    private var encoding: Encoding?
    /// The bytes that are not decoded yet: an incomplete UTF-16 character, or the first byte of the input.
    private var pending: [UInt8] = []

    private enum Encoding {
        case utf8
        case utf16(isBigEndian: Bool)
    }

    /// Appends a chunk of bytes.
    mutating func append(_ chunk: [UInt8]) {
        bytes.removeFirst(position)
        removedCount += position
        position = 0
        pending += chunk
        if encoding == nil, pending.count >= 2 {
            encoding =
                switch (pending[0], pending[1]) {
                case (0xff, 0xfe), (_, 0): .utf16(isBigEndian: false)
                case (0xfe, 0xff), (0, _): .utf16(isBigEndian: true)
                default: .utf8
                }
        }
        switch encoding {
        case .utf8:
            bytes += pending
            pending = []
        case .utf16(let isBigEndian): decode(isBigEndian: isBigEndian)
        case nil: break
        }
    }

    private mutating func decode(isBigEndian: Bool) {
        var units = stride(from: 0, to: pending.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(pending[index]), UInt16(pending[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        // Keep a high surrogate until the low surrogate arrives.
        if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        pending.removeFirst(units.count * 2)
        bytes += String(decoding: units, as: UTF16.self).utf8
    }

    /// Returns the next document, or `nil` if there is none or it is not complete yet.
    ///
    /// - Parameter isAtEnd: Whether the input is complete.
    mutating func next(isAtEnd: Bool) throws(XMLContentError) -> PushFeedback? {
        if isAtEnd, encoding == nil { bytes += pending; pending = [] }
        skipSpace()
        if position == bytes.count, pending.isEmpty || !isAtEnd { return nil }
        let root: XMLElement
        do {
            let first = try XMLReader.readFirst(bytes, from: position)
            root = first.root
            position = first.end
        } catch {
            // The rest of the document may not have arrived yet.
            if !isAtEnd, bytes.count - position <= XMLReader.maximumByteCount { return nil }
            let place = XMLError(reason: error.reason, offset: removedCount + error.offset)
            throw XMLContentError(
                description: "the document at byte \(removedCount + position) \(XMLContentError.problem(place))")
        }
        return try PushFeedback(xml: root)
    }

    /// Skips white space and byte order marks.
    private mutating func skipSpace() {
        while position < bytes.count {
            if bytes[position].isASCIIWhitespace {
                position += 1
            } else if bytes[position...].starts(with: [0xef, 0xbb, 0xbf]) {
                position += 3
            } else {
                return
            }
        }
    }
}
