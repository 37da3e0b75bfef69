/// JSON written by hand where writing it cannot fail: texts, objects of texts, arrays of texts.
enum JSONText {
    /// An object, members in the order of their names' bytes, so that equal values have equal bytes.
    static func object(_ members: [String: String]) -> [UInt8] {
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return list(sorted, "{", "}") { member, bytes in
            append(member.key, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            append(member.value, to: &bytes)
        }
    }

    /// An array.
    static func array(_ texts: some Collection<String>) -> [UInt8] {
        list(texts, "[", "]") { append($0, to: &$1) }
    }

    private static func list<Item>(
        _ items: some Collection<Item>, _ start: Unicode.Scalar, _ end: Unicode.Scalar,
        _ append: (Item, inout [UInt8]) -> Void
    ) -> [UInt8] {
        var bytes = [UInt8(ascii: start)]
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(item, &bytes)
        }
        bytes.append(UInt8(ascii: end))
        return bytes
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0a: bytes += Array("\\n".utf8)
            case 0x0d: bytes += Array("\\r".utf8)
            case 0x09: bytes += Array("\\t".utf8)
            case 0..<0x20, 0x7f: bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
