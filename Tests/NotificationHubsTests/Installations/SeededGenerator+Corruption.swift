import HubTestSupport

extension SeededGenerator {
    /// Returns the bytes after one to three random edits: a replaced, inserted, removed or repeated part.
    mutating func corrupted(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let marks = Array(#"{}[]":,\u0e-.tfn "#.utf8) + [0x00, 0x1f, 0x7f, 0x80, 0xc3, 0xed, 0xff]
        for _ in 0...Int.random(in: 0...2, using: &self) where !bytes.isEmpty {
            let index = bytes.indices.randomElement(using: &self) ?? 0
            let end = Int.random(in: index...min(index + 12, bytes.count), using: &self)
            switch Int.random(in: 0...4, using: &self) {
            case 0: bytes[index] = marks.randomElement(using: &self) ?? 0
            case 1: bytes.insert(marks.randomElement(using: &self) ?? 0, at: index)
            case 2: bytes.removeSubrange(index..<end)
            case 3: bytes.insert(contentsOf: bytes[index..<end], at: index)
            default: bytes[index] = UInt8.random(in: .min ... .max, using: &self)
            }
        }
        return bytes
    }
}
