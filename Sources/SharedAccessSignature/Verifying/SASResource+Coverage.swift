import HubText

extension SASResource {
    /// Whether a token's resource is this place or an ancestor of it.
    ///
    /// The token's text is decoded once, as in a form, on the way. Since it has to agree with this place, whose spelling has
    /// been checked, up to a segment's end, all that is left to check is its query.
    ///
    /// - Parameter range: where the text has the token's resource.
    func isCovered(by range: Range<Int>, of text: Span<UInt8>) -> Bool {
        var way = Self.behindScheme(PercentDecoding(range, readsPlusAsSpace: true), text)
        guard way.skipPrefix(host.span, in: text) == host.count else { return false }
        var next = way.next(in: text)
        if next == UInt8(ascii: ":") {
            guard Self.port(&next, &way, text) == port else { return false }
        }

        var matched = 0
        if let first = path.first, next == first {
            matched = 1 + way.skipPrefix(path.span.extracting(droppingFirst: 1), in: text)
            next = way.next(in: text)
        }
        let isAtSlash = matched > 0 && path[matched - 1] == UInt8(ascii: "/")
        if next == UInt8(ascii: "/"), matched == path.count { next = way.next(in: text) }
        guard matched == path.count || path[matched] == UInt8(ascii: "/") || isAtSlash else { return false }
        switch next {
        case nil: return true
        case UInt8(ascii: "?"): return Self.isHarmless(way, text)
        default: return false
        }
    }

    /// The way from behind `://` on, if a scheme stands before it.
    private static func behindScheme(_ start: PercentDecoding, _ text: Span<UInt8>) -> PercentDecoding {
        var way = start
        var length = 0
        while let byte = way.next(in: text) {
            if byte == UInt8(ascii: ":"), length > 0 {
                let isScheme = way.next(in: text) == UInt8(ascii: "/") && way.next(in: text) == UInt8(ascii: "/")
                return isScheme ? way : start
            }
            let isMark = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            guard byte.isASCIILetterOrDigit && (length > 0 || !byte.isASCIIDigit) || isMark && length > 0 else { break }
            length += 1
        }
        return start
    }

    /// The port behind a colon, and the byte behind it; 0 if there is none.
    private static func port(_ next: inout UInt8?, _ way: inout PercentDecoding, _ text: Span<UInt8>) -> UInt16 {
        var port = 0
        var digitCount = 0
        next = way.next(in: text)
        while let digit = next, digit.isASCIIDigit, digitCount < 5 {
            port = port * 10 + Int(digit - UInt8(ascii: "0"))
            digitCount += 1
            next = way.next(in: text)
        }
        return UInt16(exactly: port) ?? 0
    }

    /// Whether a query has nothing that is refused in a resource. Only what is not ASCII needs memory for that.
    private static func isHarmless(_ query: PercentDecoding, _ text: Span<UInt8>) -> Bool {
        var way = query
        var isASCII = true
        while let byte = way.next(in: text) {
            if byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "#") { return false }
            if byte >= 0x80 { isASCII = false }
        }
        if isASCII { return true }
        way = query
        let bytes = way.rest(in: text)
        let query = String(decoding: bytes, as: UTF8.self)
        // What is no UTF-8 is mended on the way, and shows by being another text.
        return query.utf8.elementsEqual(bytes)
            && !query.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
