/// A test case in `Fixtures/crypto`.
struct Case {
    var name: [UInt8] = []
    var message, key, seed, digest, code: [UInt8]?
    /// Whether the code is valid, or the result of a modification.
    var isValid = true
}

/// A parser of the vectors in standard input, in the format of `Tests/TestSupport`, without Foundation and Unicode tables.
struct VectorReader {
    private let text = readStandardInput()
    private var position = 0

    /// Returns the next case, or `nil` at the end.
    mutating func next() -> Case? {
        var found = Case()
        while position < text.count {
            let line = nextLine()
            if line.first == UInt8(ascii: "#") { continue }
            if !line.isEmpty {
                read(line, into: &found)
            } else if !found.name.isEmpty {
                return found
            }
        }
        return found.name.isEmpty ? nil : found
    }

    private mutating func nextLine() -> ArraySlice<UInt8> {
        let rest = text[position...]
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? text.count
        position = end + 1
        return rest[..<end]
    }

    private func read(_ line: ArraySlice<UInt8>, into found: inout Case) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { fail("missing colon", line) }
        let field = line[..<colon]
        let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }
        if field.elementsEqual("case".utf8) {
            found.name = Array(value)
        } else if field.elementsEqual("message".utf8) {
            found.message = bytes(value)
        } else if field.elementsEqual("key".utf8) {
            found.key = bytes(value)
        } else if field.elementsEqual("seed".utf8) {
            found.seed = bytes(value)
        } else if field.elementsEqual("digest".utf8) {
            found.digest = bytes(value)
        } else if field.elementsEqual("code".utf8) {
            found.code = bytes(value)
        } else if field.elementsEqual("result".utf8) {
            found.isValid = value.elementsEqual("valid".utf8)
        } else {
            fail("unknown field", line)
        }
    }

    /// Parses hexadecimal bytes, which `* N` repeats.
    private func bytes(_ value: ArraySlice<UInt8>) -> [UInt8] {
        let parts = value.split(separator: UInt8(ascii: "*"))
        var unit: [UInt8] = []
        var high: UInt8?
        for digit in (parts.first ?? []) where digit != UInt8(ascii: " ") {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue else {
                fail("invalid hexadecimal digit", value)
            }
            if let first = high {
                unit.append(first << 4 | UInt8(value))
                high = nil
            } else {
                high = UInt8(value)
            }
        }
        if high != nil { fail("odd number of hexadecimal digits", value) }
        guard parts.count == 2 else { return unit }
        let count = parts[1].reduce(0) { $1 == UInt8(ascii: " ") ? $0 : 10 * $0 + Int($1 - UInt8(ascii: "0")) }
        return Array(repeatElement(unit, count: count).joined())
    }
}
