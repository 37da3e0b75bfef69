import HubTokenScanner

/// Any bytes, in which secrets are looked for; what stands before and behind the first line feed, around secrets.
enum AuditPart {
    static func check(_ input: [UInt8]) {
        checkFinds(input)
        let (before, behind) = input.halves
        let secret = secrets[input.count % 2]
        switch behind.count % 3 {
        case 0: checkFound(secret.kind, secret.text, before, behind, mark: "\n")
        case 1: checkFound(secret.kind, secret.text.flatMap { [$0, 0] }, before, behind, mark: "\n\0")
        default: if !hasWord(before) { checkFound(secret.kind, secret.text, before, behind, mark: "\"") }
        }
    }

    private static let secrets: [(kind: SecretFind.Kind, text: [UInt8])] = [
        (
            .token,
            Array("SharedAccessSignature sr=a&sig=MOCK567890123456789012345678901234567890123%3D&se=1&skn=k".utf8)
        ),
        (
            .connectionString,
            Array(
                "Endpoint=sb://h/;SharedAccessKeyName=k;SharedAccessKey=MOCK567890123456789012345678901234567890123="
                    .utf8)
        ),
    ]

    private static func checkFinds(_ input: [UInt8]) {
        let finds = SecretScanner.finds(in: input)
        require(finds.allSatisfy { input.indices.contains($0.offset) }, "a find lies elsewhere")
        require(finds.isEmpty || hasWord(input), "a secret is found where its word is not")

        // The same in two parts.
        let middle = input.reduce(0) { $0 + Int($1) } % (input.count + 1)
        var scanner = SecretScanner()
        let parts = scanner.scan(input, 0..<middle, offset: 0) + scanner.scan(input, middle..<input.count, offset: 0)
        require(Set(parts) == Set(finds) && parts.count == finds.count, "in two parts, other things are found")
    }

    /// Whether the word is there with which secrets are found, as ASCII or as UTF-16.
    private static func hasWord(_ input: [UInt8]) -> Bool {
        let text = NaiveCodec.lowercased(input)
        let word = Array("sharedaccess".utf8)
        return text.firstRange(of: word) != nil || text.firstRange(of: word.flatMap { [$0, 0] }.dropLast()) != nil
    }

    /// A secret between marks is found, whatever stands around them.
    private static func checkFound(
        _ kind: SecretFind.Kind, _ secret: [UInt8], _ before: [UInt8], _ behind: [UInt8], mark: String
    ) {
        let start = before + Array(mark.utf8)
        let finds = SecretScanner.finds(in: start + secret + Array(mark.utf8) + behind)
        require(
            finds.contains { $0.kind == kind && $0.offset == start.count }, "a \(kind) at \(start.count) is not found")
    }
}
