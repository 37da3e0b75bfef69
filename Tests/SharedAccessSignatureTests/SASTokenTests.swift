import SharedAccessSignature
import Testing

@Suite struct SASTokenTests {
    static let signature = "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D"

    @Test(arguments: [
        "SharedAccessSignature sr=r&sig=\(signature)&se=5&skn=n",
        "SharedAccessSignature skn=n&se=5&sig=\(signature)&sr=r",
        "sharedaccesssignature   sr=r&sig=\(signature)&se=5&skn=n",
        "SharedAccessSignature SR=r&Sig=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g=&sE=5&SKN=%6e",
    ])
    func `parses fields in any order and case, with or without escapes`(text: String) throws {
        let claims = try SASToken(text).unverifiedClaims
        #expect(claims.resource == "r")
        #expect(claims.keyName == "n")
        #expect(claims.expiry == 5)
    }

    @Test(arguments: [
        ("", 0, "does not start"),
        ("Bearer abc", 0, "does not start"),
        ("SharedAccessSignaturesr=r", 0, "does not start"),
        ("SharedAccessSignature ", 22, "unknown field"),
        ("SharedAccessSignature sr=r&sig=\(signature)&se=5", 82, "no skn"),
        ("SharedAccessSignature sr=r&sr=r&sig=\(signature)&se=5&skn=n", 27, "duplicate sr at byte 27"),
        ("SharedAccessSignature sr=r&sig=\(signature)&se=5&skn=n&x=1", 89, "unknown field"),
        ("SharedAccessSignature sr=r&sig=\(signature)&se=5&skn=n&", 89, "unknown field"),
        ("SharedAccessSignature sr=&sig=\(signature)&se=5&skn=n", 25, "sr at byte 25"),
        ("SharedAccessSignature sr&sig=\(signature)&se=5&skn=n", 24, "sr at byte 24"),
        ("SharedAccessSignature sr=%2&sig=\(signature)&se=5&skn=n", 25, "sr at byte 25"),
        ("SharedAccessSignature sr=a%zz&sig=\(signature)&se=5&skn=n", 26, "sr at byte 26"),
        ("SharedAccessSignature sr=r&s\u{212a}n=n&sig=\(signature)&se=5", 27, "unknown field"),
        ("SharedAccessSignature sr=a b&sig=\(signature)&se=5&skn=n", 26, "sr at byte 26"),
        ("SharedAccessSignature sr=r&sig=\(signature)&se=-5&skn=n", 81, "se at byte 81"),
        ("SharedAccessSignature sr=r&sig=\(signature)&se=9223372036854775808&skn=n", 81, "se at byte 81"),
        ("SharedAccessSignature sr=r&sig=AAAA&se=5&skn=n", 31, "sig at byte 31"),
        ("SharedAccessSignature sr=r&sig=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0h%3D&se=5&skn=n", 31, "sig"),
        ("SharedAccessSignature sr=r&sig=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g&se=5&skn=n", 31, "sig"),
        ("SharedAccessSignature sr=" + String(repeating: "r", count: 9000), 8192, "longer than"),
    ])
    func `reports the problem and its offset without the signature`(text: String, offset: Int, message: String) {
        let error = #expect(throws: SASTokenError.self) { try SASToken(text) }
        #expect(error?.offset == offset)
        #expect(error?.description.contains(message) == true)
        #expect(error?.description.contains("8UM0") == false)
    }

    @Test func `decodes a plus sign in the resource as a space`() throws {
        let token = try SASToken("SharedAccessSignature sr=a+b&sig=\(Self.signature)&se=5&skn=n")
        #expect(token.unverifiedClaims.resource == "a b")
    }

    @Test func `hashes the expiry`() throws {
        let hashes = try (1...9).map {
            try SASToken("SharedAccessSignature sr=r&sig=\(Self.signature)&se=\($0)&skn=n").unverifiedClaims.hashValue
        }
        #expect(Set(hashes).count > 1)
    }

    @Test func `has stable codes`() {
        let codes: [SASTokenError.Code] = [
            .missing, .tooLong, .invalidScheme, .unknownField, .duplicateField, .missingField, .invalidField,
            .unknownKey, .invalidSignature, .expired, .lifetimeTooLong, .outOfScope, .invalidResource,
        ]
        let names = [
            "missing", "tooLong", "invalidScheme", "unknownField", "duplicateField", "missingField", "invalidField",
            "unknownKey", "invalidSignature", "expired", "lifetimeTooLong", "outOfScope", "invalidResource",
        ]
        #expect(codes.map(\.rawValue) == names)
    }

    @Test(arguments: [" ", "\u{7f}", "\n", "é", "%", "%4", "%g1", "%1g", "%&1", "%%41"])
    func `finds an invalid character or escape at each position`(text: String) {
        for (before, after) in (0..<50).flatMap({ before in [0, 1, 2, 40].map { (before, $0) } }) {
            // An escape at the end of a field is incomplete; "%4" is not before a hexadecimal digit.
            let value = String(repeating: "x%2F", count: before / 4) + String(repeating: "x", count: before % 4) + text
            let token =
                "SharedAccessSignature sr=\(value)\(String(repeating: "x", count: after))&sig=\(Self.signature)&se=5&skn=n"
            let error = #expect(throws: SASTokenError.self) { try SASToken(token) }
            #expect(error?.offset == 25 + before / 4 * 4 + before % 4, "\(before), \(after)")
        }
    }

    @Test func `reports codes and fields`() {
        for (text, code, field) in [
            ("x", .invalidScheme, nil), ("SharedAccessSignature x=1", .unknownField, nil),
            ("SharedAccessSignature sr=r&sr=r", .duplicateField, "sr"),
            ("SharedAccessSignature sr=r&se=1", .missingField, "skn"),
            ("SharedAccessSignature sr=r&se=", .invalidField, "se"),
            (String(repeating: "x", count: 8193), .tooLong, nil),
        ] as [(String, SASTokenError.Code, String?)] {
            let error = #expect(throws: SASTokenError.self) { try SASToken(text) }
            #expect(error?.code == code)
            #expect(error?.field == field)
        }
    }

    @Test func `escapes control characters in printed claims`() throws {
        let token = try SASToken(
            "SharedAccessSignature sr=a%0Aforged%1B[31m&sig=\(Self.signature)&se=5&skn=n%0d%0aroot")
        let printed = "\(token.unverifiedClaims) \(token)"
        #expect(!printed.unicodeScalars.contains { $0.value < 0x20 })
        #expect(token.unverifiedClaims.resource == "a\nforged\u{1b}[31m")
    }
}
