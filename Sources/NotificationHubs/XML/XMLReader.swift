import HubText

/// A parser of elements, attributes, text, CDATA, comments and processing instructions.
///
/// To bound the cost of hostile input, the parser limits size and depth. It rejects document types, and all entities except
/// the five predefined ones and character references.
package struct XMLReader {
    /// The maximum size of a document, in bytes.
    package static let maximumByteCount = 1 << 20
    /// The maximum size of a list, in bytes: enough for a hundred registrations with large templates.
    static let maximumListByteCount = 4 << 20
    /// The maximum nesting of elements.
    static let maximumDepth = 32
    /// The maximum length of a name in bytes. Comparing names with many combining marks takes quadratic time.
    private static let maximumNameLength = 1024

    private let bytes: [UInt8]
    private var position = 0

    /// Parses a document and returns its root element.
    package static func read(
        _ bytes: [UInt8], maximumByteCount: Int = maximumByteCount
    ) throws(XMLError) -> XMLElement {
        guard bytes.count <= maximumByteCount else { throw XMLError(reason: .tooLarge, offset: maximumByteCount) }
        guard String(strictUTF8: bytes) != nil else { throw XMLError(reason: .notUTF8, offset: 0) }
        var reader = XMLReader(bytes: bytes)
        _ = reader.skip("\u{feff}")
        try reader.skipMiscellaneous()
        let root = try reader.element(depth: 1)
        try reader.skipMiscellaneous()
        guard reader.position == bytes.count else { throw reader.unexpected() }
        return root
    }

    /// Parses the first of several concatenated documents and returns its root element and end.
    static func readFirst(_ bytes: [UInt8], from start: Int) throws(XMLError) -> (root: XMLElement, end: Int) {
        var reader = XMLReader(bytes: bytes)
        reader.position = start
        try reader.skipMiscellaneous()
        let root = try reader.element(depth: 1)
        guard String(strictUTF8: bytes[start..<reader.position]) != nil else {
            throw XMLError(reason: .notUTF8, offset: start)
        }
        return (root, reader.position)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func element(depth: Int) throws(XMLError) -> XMLElement {
        guard depth <= Self.maximumDepth else { throw error(.tooDeep) }
        try expect("<")
        var element = XMLElement(name: try name())
        while true {
            let hadSpace = skipWhiteSpace()
            if skip("/>") { return element }
            if skip(">") { break }
            guard hadSpace else { throw unexpected() }
            let start = position
            let attribute = try name()
            _ = skipWhiteSpace()
            try expect("=")
            _ = skipWhiteSpace()
            let value = try quotedValue()
            guard element.attributes.updateValue(value, forKey: attribute) == nil else {
                throw XMLError(reason: .duplicateAttribute, offset: start)
            }
        }
        var text: [UInt8] = []
        while true {
            if skip("</") {
                let start = position
                guard try name().hasSameBytes(as: element.name) else {
                    throw XMLError(reason: .mismatchedEndTag, offset: start)
                }
                _ = skipWhiteSpace()
                try expect(">")
                element.text = String(decoding: text, as: UTF8.self)
                return element
            } else if skip("<![CDATA[") {
                while !skip("]]>") { try appendByte(to: &text) }
            } else if try skipCommentOrInstruction() {
                continue
            } else if next == UInt8(ascii: "<") {
                element.children.append(try self.element(depth: depth + 1))
            } else {
                guard !isNext("]]>") else { throw unexpected() }
                try appendCharacter(to: &text)
                appendPlainText(to: &text)
            }
        }
    }

    /// Skips white space, comments and processing instructions outside the root element.
    private mutating func skipMiscellaneous() throws(XMLError) {
        while true {
            _ = skipWhiteSpace()
            if try skipCommentOrInstruction() {
                continue
            } else if skip("<!") {
                throw error(.documentType)
            } else {
                return
            }
        }
    }

    /// Skips a comment or a processing instruction, and returns whether there is one.
    private mutating func skipCommentOrInstruction() throws(XMLError) -> Bool {
        if skip("<!--") {
            try skipText(through: "--")
            try expect(">")
        } else if skip("<?") {
            _ = try name()
            if skip("?>") { return true }
            guard skipWhiteSpace() else { throw unexpected() }
            try skipText(through: "?>")
        } else {
            return false
        }
        return true
    }

    private mutating func name() throws(XMLError) -> String {
        let start = position
        while let byte = next, byte.isXMLNameByte { position += 1 }
        guard position > start, !bytes[start].isXMLNameContinuation else {
            position = start
            throw unexpected()
        }
        guard position - start <= Self.maximumNameLength else { throw XMLError(reason: .nameTooLong, offset: start) }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func quotedValue() throws(XMLError) -> String {
        guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw unexpected() }
        position += 1
        var value: [UInt8] = []
        while next != quote {
            guard next != UInt8(ascii: "<") else { throw unexpected() }
            // Line breaks and tabs become spaces (XML 1.0 §3.3.3).
            if skipLineEnd() || skip("\t") { value.append(0x20) } else { try appendCharacter(to: &value) }
            appendPlainText(to: &value)
        }
        position += 1
        return String(decoding: value, as: UTF8.self)
    }

    /// Appends the plain text at the position, which can be empty.
    private mutating func appendPlainText(to text: inout [UInt8]) {
        let start = position
        while position < bytes.count, bytes[position].isXMLPlainText { position += 1 }
        text += bytes[start..<position]
    }

    /// Appends a byte of text or the value of an entity.
    private mutating func appendCharacter(to text: inout [UInt8]) throws(XMLError) {
        guard next == UInt8(ascii: "&") else { return try appendByte(to: &text) }
        let start = position
        position += 1
        guard let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
            let scalar = Self.entity(String(decoding: bytes[position..<end], as: UTF8.self))
        else {
            throw XMLError(reason: .unknownEntity, offset: start)
        }
        text += scalar.utf8
        position = end + 1
    }

    /// Appends a byte of text. Normalizes line endings to line feeds (XML 1.0 §2.11).
    private mutating func appendByte(to text: inout [UInt8]) throws(XMLError) {
        guard let byte = next else { throw error(.unexpectedEnd) }
        if skipLineEnd() { return text.append(0x0a) }
        guard byte >= 0x20 || byte == 0x09, !isNoncharacter else { throw error(.invalidCharacter) }
        text.append(byte)
        position += 1
    }

    /// Whether the next character is U+FFFE or U+FFFF.
    private var isNoncharacter: Bool { isNext("\u{fffe}") || isNext("\u{ffff}") }

    private mutating func skipLineEnd() -> Bool {
        skip("\r\n") || skip("\r") || skip("\n")
    }

    private static func entity(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.first != "+", let number = UInt32(digits, radix: isHexadecimal ? 16 : 10),
            number >= 0x20 || number == 0x09 || number == 0x0a || number == 0x0d,
            number != 0xfffe, number != 0xffff
        else { return nil }
        return Unicode.Scalar(number)
    }

    // MARK: Bytes

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isNext(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard count <= bytes.count - position else { return false }
        for index in 0..<count where unsafe text.utf8Start[index] != bytes[position + index] { return false }
        return true
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        guard isNext(text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    private mutating func expect(_ text: StaticString) throws(XMLError) {
        guard skip(text) else { throw unexpected() }
    }

    private mutating func skipWhiteSpace() -> Bool {
        let start = position
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { position += 1 }
        return position > start
    }

    private mutating func skipText(through end: StaticString) throws(XMLError) {
        var text: [UInt8] = []
        while !skip(end) { try appendByte(to: &text) }
    }

    private func error(_ reason: XMLError.Reason) -> XMLError {
        XMLError(reason: reason, offset: position)
    }

    private func unexpected() -> XMLError {
        error(next.map { .unexpected($0) } ?? .unexpectedEnd)
    }
}

extension UInt8 {
    /// Whether the byte is text that needs no check: not a control character, a delimiter, or the first byte of U+FFFE or U+FFFF.
    fileprivate var isXMLPlainText: Bool {
        switch self {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: "]"), UInt8(ascii: "\""), UInt8(ascii: "'"), 0xef: false
        default: self >= 0x20
        }
    }

    /// Whether the byte is allowed in a name: an ASCII letter or digit, `_ : - .`, or a non-ASCII byte.
    fileprivate var isXMLNameByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "_"), UInt8(ascii: ":"): true
        default: isXMLNameContinuation || self >= 0x80
        }
    }

    /// Whether the byte is allowed in a name, but not at its start.
    fileprivate var isXMLNameContinuation: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
