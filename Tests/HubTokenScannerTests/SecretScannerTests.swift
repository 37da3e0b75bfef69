import HubTestSupport
import HubTokenScanner
import Testing

@Suite(.timeLimit(.minutes(30))) struct SecretScannerTests {
    private static let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
    private static let fingerprint = SecretMatch.fingerprint(ofKey: Array(key.utf8))
    private static let string = "Endpoint=sb://h/;SharedAccessKeyName=full;SharedAccessKey=\(key)"

    @Test func `finds a connection string that crosses the end of the longest run`() {
        for count in stride(from: 16_200, through: 16_400, by: 10) {
            let text = "Endpoint=a;SharedAccessKeyName=a;" + String(repeating: "x", count: count) + ";" + Self.string
            let matches = SecretScanner.matches(in: Array(text.utf8))
            #expect(matches.contains { $0.fingerprint == Self.fingerprint && $0.kind == .connectionString })
            #expect(matches.count == 1)
        }
    }

    @Test(arguments: [
        #"{"a":"Endpoint=sb:\Endpoint=sb:\/\/h.servicebus.windows.net\/;SharedAccessKeyName=a;SharedAccessKey=MOCK56/\/h."#
            + #"servicebus.windows.net\/;SharedAccessKeyName=Root;SharedAccessKey=\#(key)"}"#
    ])
    func `finds the same secrets in one part and in two`(text: String) {
        let bytes = Array(text.utf8)
        let matches = SecretScanner.matches(in: bytes)
        for middle in bytes.indices {
            var scanner = SecretScanner()
            let parts =
                scanner.scan(bytes, 0..<middle, offset: 0) + scanner.scan(bytes, middle..<bytes.count, offset: 0)
            #expect(parts.count == matches.count && Set(parts) == Set(matches), "split at \(middle)")
        }
    }

    /// With quadratic time within 16 KiB, four times the text would take sixteen times as long.
    @Test(arguments: [
        "SharedAccessKey=;", "SharedAccessKey=;%", "SharedAccessSignature+sr=1&", "SharedAccessKeyName%3D",
        "sharedaccesskey=", "sharedaccess", "SharedAccessKey=,", "endpoint=h,SharedAccessKey:",
        "Q~", "aB38Q~", ".service.signalr.net;AccessKey=\(key);",
    ])
    func `takes linear time for adversarial text`(unit: String) {
        for width in [1, 2] {
            let codeUnits = unit.utf8.flatMap { [$0] + [UInt8](repeating: 0, count: width - 1) }
            let isLinear = takesLinearTime {
                [UInt8](repeatElement(codeUnits, count: $0 / codeUnits.count).joined())
            } _: {
                _ = SecretScanner.matches(in: $0)
            }
            #expect(isLinear)
        }
    }
}
