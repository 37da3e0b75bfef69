import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct InspectHidingTests {
    private static let key = "q+Zr/0b7mS8nX2Qd+L1uYt5kJ3vH4wPz9aGcE6iR7oM="
    private static let signature = "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D"
    /// Parts of the key that no output may contain.
    private static let fragments = ["L1uYt5kJ3vH4wPz9aGcE6iR7oM", "0b7mS8nX2Qd"]
    private static let hexadecimal = String(repeating: "8f", count: 32)

    private static var spellings: [String] {
        let bare = String(key.dropLast())
        let forURLs = bare.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        let asForm = key.replacingOccurrences(of: "+", with: " ")
        let escapedSlash = key.replacingOccurrences(of: "/", with: "\\/")
        let encoded = key.replacingOccurrences(of: "+", with: "%2B")
        let encodedTwice = bare.replacingOccurrences(of: "+", with: "%252B")
        let token = Data("SharedAccessSignature sr=a&sig=\(signature)".utf8).base64EncodedString()
        var all = [key, bare, asForm, forURLs, forURLs + "=", escapedSlash, encoded, encodedTwice]
        all += ["https://full:\(bare)@h/", "a/\(bare)", hexadecimal, hexadecimal.uppercased()]
        all += [token.trimmingCharacters(in: ["="]), String(key.prefix(20) + "\n" + key.dropFirst(20))]
        return all
    }

    @Test(arguments: representatives(spellings))
    func `redacts a key in any field`(secret: String) async throws {
        let hidden = Self.fragments + [Self.hexadecimal, Self.hexadecimal.uppercased(), secret]
        for token in [
            "sr=\(secret)&sig=\(Self.signature)&se=1795272021&skn=full",
            "sr=a&sig=\(Self.signature)&se=\(secret)&skn=full",
            "sr=a&sig=\(Self.signature)&se=1795272021&skn=\(secret)",
        ] {
            for options in [[], ["--json"]] {
                let outcome = try await SASProgram.run(
                    ["inspect"] + options, input: "SharedAccessSignature " + token, hiding: hidden)
                #expect(outcome.output.contains(SASProgram.redacted))
            }
        }
        let outcome = try await SASProgram.run(["audit", secret], hiding: hidden)
        #expect(outcome.error.contains("cannot read \(SASProgram.redacted)"))
    }

    @Test func `rejects and redacts a key given as a policy name`() async throws {
        for options in [["--key-name", Self.key], ["--key-name", "Sesame"]] {
            for subcommand in ["inspect", "sign", "verify"] {
                let words = subcommand == "inspect" ? [] : ["--resource", SASProgram.resource]
                let outcome = try await SASProgram.run(
                    [subcommand] + words + options + ["--key-env", "WORD"], environment: ["WORD": "Sesame"],
                    hiding: [Self.key, "Sesame"])
                #expect(outcome.status == 2)
                #expect(outcome.error.contains("the policy name looks like a key"))
            }
        }
    }

    @Test(arguments: [
        "https://contoso-production-europe.servicebus.windows.net/notification-hub-for-devices/installations/42",
        "https://contoso.net/Hubs/Orders/registrations/of/The/Customers/of/Contoso/2026/11",
        "https://contoso.net/installations/0f8fad5b-d9cb-469f-a165-70867728950e",
        "https://contoso.net/push/installations/0F8FAD5B-D9CB-469F-A165-70867728950E",
    ])
    func `does not redact long paths`(url: String) async throws {
        let outcome = try await SASProgram.run(
            ["inspect"], input: "SharedAccessSignature sr=\(url)&sig=\(Self.signature)&se=1795272021&skn=full")
        #expect(outcome.output.contains("sr        \(url)\n"))
    }
}
