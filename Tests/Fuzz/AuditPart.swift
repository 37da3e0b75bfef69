import Foundation
import HubTokenScanner

/// A fuzz test that scans arbitrary bytes for secrets, then a secret surrounded by the bytes before and after the first
/// line feed.
enum AuditPart {
    static func check(_ input: [UInt8]) {
        checkMatches(input)
        checkLayers(input)
        let (before, after) = input.halves
        let secret = secrets[input.count % 2]
        switch after.count % 3 {
        case 0: checkFound(secret.kind, secret.text, before, after, delimiter: "\n")
        case 1: checkFound(secret.kind, secret.text.flatMap { [$0, 0] }, before, after, delimiter: "\n\0")
        default: if !containsKeyword(before) { checkFound(secret.kind, secret.text, before, after, delimiter: "\"") }
        }
    }

    private static let secrets: [(kind: SecretMatch.Kind, text: [UInt8])] = [
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

    /// Checks that a connection string is found in at most three layers of encoding, which the first bytes choose.
    private static func checkLayers(_ input: [UInt8]) {
        let layers = input.prefix(Int(input.last ?? 0) % 4).map { Layer.all[Int($0) % Layer.all.count] }
        let text = layers.reduce(secrets[1].text) { $1($0) }
        let start = Array(input.dropFirst(3).filter { $0 > 0x7f }) + Array("\n".utf8)
        let matches = SecretScanner.matches(in: start + text + Array("\n".utf8))
        require(
            matches.contains { $0.range.lowerBound >= start.count && $0.range.upperBound <= start.count + text.count },
            "no match for the connection string in \(layers.count) layers")
    }

    /// Encodings of text.
    private enum Layer {
        static let all: [@Sendable ([UInt8]) -> [UInt8]] = [
            { $0.flatMap { Array("%".utf8) + hex($0) } }, { $0.flatMap { Array("\\u00".utf8) + hex($0) } },
            { $0.flatMap { Array("\\x".utf8) + hex($0) } },
            { $0.flatMap { Array("&#x".utf8) + hex($0) + Array(";".utf8) } },
            { $0.flatMap { Array("\\\($0 / 64)\($0 / 8 % 8)\($0 % 8)".utf8) } },
            { $0.flatMap { Array("&#\($0);".utf8) } },
            { Array(Data($0).base64EncodedString().utf8) },
            { Array(Data($0).base64EncodedString(options: .lineLength76Characters).utf8) },
            { Data($0).base64EncodedString().utf8.filter { $0 != UInt8(ascii: "=") } },
        ]

        private static func hex(_ byte: UInt8) -> [UInt8] {
            [byte >> 4, byte & 15].map { $0 < 10 ? 0x30 + $0 : 0x61 + $0 - 10 }
        }
    }

    private static func checkMatches(_ input: [UInt8]) {
        let matches = SecretScanner.matches(in: input)
        require(
            matches.allSatisfy {
                !$0.range.isEmpty && input.indices.contains($0.range.lowerBound) && $0.range.upperBound <= input.count
            },
            "a match has a range outside the input")
        require(
            matches.isEmpty || containsKeyword(input) || containsLongRun(input),
            "a match without the keyword or a long run")

        // Scanning in two parts must find the same matches.
        let middle = input.reduce(0) { $0 + Int($1) } % (input.count + 1)
        var scanner = SecretScanner()
        let parts = scanner.scan(input, 0..<middle, offset: 0) + scanner.scan(input, middle..<input.count, offset: 0)
        require(
            Set(parts) == Set(matches) && parts.count == matches.count, "scanning in two parts finds different matches")
    }

    /// Returns whether the input contains a run of 43 characters of an encoded secret in ASCII, UTF-16 or UTF-32.
    private static func containsLongRun(_ input: [UInt8]) -> Bool {
        let members = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_%\\&#;".utf8)
        return [1, 2, 4].contains { stride in
            (0..<stride).contains { phase in
                var count = 0
                for index in Swift.stride(from: phase, to: input.count, by: stride) {
                    let zeros = input[(index + 1)...].prefix(stride - 1)
                    count = members.contains(input[index]) && zeros.allSatisfy { $0 == 0 } ? count + 1 : 0
                    if count == 43 { return true }
                }
                return false
            }
        }
    }

    /// Returns whether the input contains the keyword of connection strings in ASCII, UTF-16 or UTF-32.
    private static func containsKeyword(_ input: [UInt8]) -> Bool {
        let text = NaiveCodec.lowercased(input)
        let keyword = Array("sharedaccess".utf8)
        return [0, 1, 3].contains { zeroCount in
            let zeros = [UInt8](repeating: 0, count: zeroCount)
            return text.firstRange(of: keyword.flatMap { [$0] + zeros }.dropLast(zeroCount)) != nil
        }
    }

    /// Checks that a delimited secret is found in any surroundings.
    private static func checkFound(
        _ kind: SecretMatch.Kind, _ secret: [UInt8], _ before: [UInt8], _ after: [UInt8], delimiter: String
    ) {
        let start = before + Array(delimiter.utf8)
        let matches = SecretScanner.matches(in: start + secret + Array(delimiter.utf8) + after)
        require(
            matches.contains { $0.kind == kind && $0.range.lowerBound == start.count },
            "no match for the \(kind) at \(start.count)")
    }
}
