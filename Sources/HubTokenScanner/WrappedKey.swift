import HubText

/// A key that is split over lines or string literals.
struct WrappedKey {
    /// The positions from the key's start to its end.
    let range: Range<Int>
    let key: AzureKey

    /// The length of the longest text between two parts of a key, and between its name and its start, in code units.
    private static let maximumSeparatorCount = 40

    /// Reads the shared access key that follows a name. Returns `nil` if the text there is not a key.
    init?(_ text: CodeUnits, after nameEnd: Int) {
        let separator = text[nameEnd...].prefix(Self.maximumSeparatorCount).prefix {
            $0.isASCIIWhitespace || "\"'\\:=>,(@+".utf8.contains($0)
        }
        guard separator.contains(where: { ":=>,".utf8.contains($0) }) else { return nil }
        self.init(text, from: separator.endIndex, size: .shared)
    }

    /// Reads the account key of which a run is a part. Returns `nil` if the run is not a part of a key.
    init?(_ text: CodeUnits, around run: Range<Int>) {
        let size = AzureKey.Size.account
        // A backslash at the end of a line continues the line.
        let run = run.lowerBound..<(run.last { text[$0] != UInt8(ascii: "\\") } ?? run.lowerBound) + 1
        guard run.count < size.characterCount, run.allSatisfy({ RunSearch.isBase64(text[$0]) }) else { return nil }
        if let key = WrappedKey(text, from: run.lowerBound, size: size) {
            self = key
            return
        }
        // The run can be the second part.
        let joint = text[..<run.lowerBound].suffix(Self.maximumSeparatorCount).reversed().prefix(while: Self.isJoint)
        let firstEnd = run.lowerBound - joint.count
        let start = firstEnd - (size.characterCount - run.count)
        guard start >= text.startIndex, text[start..<firstEnd].allSatisfy(RunSearch.isBase64),
            start == text.startIndex || !RunSearch.isBase64(text[start - 1])
        else { return nil }
        self.init(text, from: start, size: size)
    }

    /// Reads a key of a size that starts at a position.
    private init?(_ text: CodeUnits, from start: Int, size: AzureKey.Size) {
        var position = start
        // In quoted-printable text, =3D is an equals sign.
        if start > text.startIndex, text[start - 1] == UInt8(ascii: "="), text[start...].starts(with: "3D".utf8) {
            position += 2
        }
        var characters: [UInt8] = []
        while true {
            let part = text[position...].prefix(size.characterCount - characters.count).prefix {
                RunSearch.isBase64($0)
            }
            characters += part
            position = part.endIndex
            if characters.count == size.characterCount { break }
            guard !part.isEmpty, let next = Self.jointEnd(text, position) else { return nil }
            position = next
        }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: size.paddingCount)
        guard text[position...].starts(with: padding), let key = AzureKey(characters + padding) else { return nil }
        range = start..<(position + padding.count)
        self.key = key
    }

    /// Returns the end of the line break, the quotes and the operators between two parts of a key.
    private static func jointEnd(_ text: CodeUnits, _ position: Int) -> Int? {
        let joint = text[position...].prefix(maximumSeparatorCount).prefix(while: isJoint)
        let isQuoted = joint.contains { "\"'`".utf8.contains($0) }
        let isLineBreak = joint.contains(UInt8(ascii: "\n"))
        // In quoted-printable text, an equals sign at the end of a line continues the line.
        if let equals = joint.firstIndex(of: UInt8(ascii: "=")), equals != joint.startIndex || !isLineBreak {
            return nil
        }
        return isQuoted || isLineBreak ? joint.endIndex : nil
    }

    private static func isJoint(_ byte: UInt8) -> Bool {
        byte.isASCIIWhitespace || "\"'`\\+&.=@(".utf8.contains(byte)
    }
}
