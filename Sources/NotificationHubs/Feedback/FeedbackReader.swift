/// Reads documents that stand one behind the other, from bytes that come piece by piece.
///
/// The service writes each with a declaration of its own, and calls it UTF-16; what it is shows by the first bytes.
struct FeedbackReader {
    private var bytes: [UInt8] = []
    /// How many of the bytes have been read.
    private var position = 0
    /// How many bytes were dropped before these.
    private var dropped = 0
    private var encoding: Encoding?
    /// What of UTF-16 is no character yet.
    private var pending: [UInt8] = []

    private enum Encoding {
        case utf8
        case utf16(isBigEndian: Bool)
    }

    mutating func append(_ piece: [UInt8]) {
        bytes.removeFirst(position)
        dropped += position
        position = 0
        pending += piece
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
        // The first half of a pair waits for the second.
        if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        pending.removeFirst(units.count * 2)
        bytes += String(decoding: units, as: UTF16.self).utf8
    }

    /// The next document; `nil` if there is none, or not all of it yet.
    ///
    /// - Parameter isAtEnd: whether no bytes will follow.
    mutating func next(isAtEnd: Bool) throws(UnreadableXML) -> PushFeedback? {
        if isAtEnd, encoding == nil { bytes += pending; pending = [] }
        skipSpace()
        if position == bytes.count, pending.isEmpty || !isAtEnd { return nil }
        let root: XMLElement
        do {
            let first = try XMLReader.readFirst(bytes, from: position)
            root = first.root
            position = first.end
        } catch {
            // What is wrong here may be right with what follows.
            if !isAtEnd, bytes.count - position <= XMLReader.maximumByteCount { return nil }
            let place = XMLError(reason: error.reason, offset: dropped + error.offset)
            throw UnreadableXML(
                description: "the document at byte \(dropped + position) \(UnreadableXML.problem(place))")
        }
        return try PushFeedback(xml: root)
    }

    /// Goes past white space and byte order marks.
    private mutating func skipSpace() {
        while position < bytes.count {
            if bytes[position] == 0x20 || (0x09...0x0d).contains(bytes[position]) {
                position += 1
            } else if bytes[position...].starts(with: [0xef, 0xbb, 0xbf]) {
                position += 3
            } else {
                return
            }
        }
    }
}
