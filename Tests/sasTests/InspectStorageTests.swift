import HubTestSupport
import Testing

/// Signatures of Azure Storage with the fields in Microsoft's documentation.
@Suite(.timeLimit(.minutes(30))) struct InspectStorageTests {
    private static let signature = "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g"
    private static let sig = "sig=\(signature)%3D"
    private static let blob =
        "https://contoso.blob.core.windows.net/files/a.txt?sv=2022-11-02&st=2023-11-01T00%3A00%3A00Z"
        + "&se=2023-11-17T22%3A13%3A20Z&sr=b&sp=rw&spr=https&\(sig)"

    private static func run(_ text: String, _ options: String...) async throws -> BuiltProgram.Outcome {
        try await SASProgram.run(
            ["inspect", "--now", "1700000000"] + options, input: text, hiding: [signature, "storage-secret"])
    }

    private static func inspect(_ text: String) async throws -> (
        object: [String: Any], problems: [String], notes: [String]
    ) {
        let outcome = try await run(text, "--json")
        let object = try #require(try SASProgram.objects(outcome.output).first)
        let findings = object["findings"] as? [[String: Any]] ?? []
        func kinds(_ isProblem: Bool) -> [String] {
            findings.filter { $0["problem"] as? Bool == isProblem }.compactMap { $0["kind"] as? String }
        }
        #expect(object["valid"] as? Bool == kinds(true).isEmpty)
        #expect(outcome.status == (kinds(true).isEmpty ? 0 : 1))
        return (object, kinds(true), kinds(false))
    }

    @Test func `explains a service SAS`() async throws {
        let outcome = try await Self.run(Self.blob)
        #expect(
            outcome.output == """
                type      Azure Storage, service SAS: one service, signed with the account's key
                url       https://contoso.blob.core.windows.net/files/a.txt
                sv        2022-11-02
                sr        b
                          blob
                sp        rw
                          read, write
                st        2023-11-01T00:00:00Z
                          started 13 days ago
                se        2023-11-17T22:13:20Z
                          expires in 3 days
                spr       https
                sig       (redacted) 44 characters after decoding: 32 bytes in canonical Base64
                note      sas cannot verify the signature: that requires a storage key, and the signed text depends on sv
                result: valid (signature not checked)

                """)
        #expect((outcome.status, outcome.error) == (0, ""))
    }

    @Test func `explains a service SAS as JSON`() async throws {
        let (object, problems, notes) = try await Self.inspect(Self.blob + "&sip=10.0.0.1&si=readers")
        #expect(object["type"] as? String == "storageSAS")
        #expect(object["kind"] as? String == "service")
        #expect(object["url"] as? String == "https://contoso.blob.core.windows.net/files/a.txt")
        #expect(object["version"] as? String == "2022-11-02")
        #expect(object["resourceTypes"] as? [String] == ["blob"])
        #expect(object["permissions"] as? [String] == ["read", "write"])
        #expect(object["startsAt"] as? String == "2023-11-01T00:00:00Z")
        #expect(object["expires"] as? Int == 1_700_259_200)
        #expect(object["secondsLeft"] as? Int == 259_200)
        #expect(object["protocols"] as? String == "https")
        #expect(object["addresses"] as? String == "10.0.0.1")
        #expect(object["storedAccessPolicy"] as? String == "readers")
        #expect((problems, notes) == ([], ["notVerifiable"]))
    }

    @Test func `explains an account SAS without a URL`() async throws {
        let text = "?sv=2022-11-02&ss=bqtf&srt=sco&sp=rup&se=2023-11-17&spr=https,http&\(Self.sig)"
        for text in [text, String(text.dropFirst())] {
            let (object, problems, notes) = try await Self.inspect(text)
            #expect(object["kind"] as? String == "account")
            #expect(object["services"] as? [String] == ["blob", "queue", "table", "file"])
            #expect(object["resourceTypes"] as? [String] == ["service", "container", "object"])
            #expect(object["permissions"] as? [String] == ["read", "update", "process"])
            #expect(object["expiresAt"] as? String == "2023-11-17T00:00:00Z")
            #expect((problems, notes) == ([], ["httpAllowed", "notVerifiable"]))
        }
    }

    @Test(arguments: [
        ("b", "blob"), ("bv", "blob version"), ("bs", "blob snapshot"), ("c", "container"), ("d", "directory"),
        ("f", "file"), ("s", "file share"), ("z", "unknown"),
    ])
    func `names the type of resource`(type: String, name: String) async throws {
        let (object, _, _) = try await Self.inspect(Self.blob.replacing("sr=b", with: "sr=\(type)"))
        #expect(object["resourceTypes"] as? [String] == [name])
    }

    @Test func `names permissions by the type of resource`() async throws {
        let directory = Self.blob.replacing("sr=b&sp=rw", with: "sr=d&sp=racwdxyltfmeopi")
        #expect(
            try await Self.inspect(directory).object["permissions"] as? [String] == [
                "read", "add", "create", "write", "delete", "delete versions", "delete permanently", "list", "tags",
                "find by tags", "move", "execute", "change owner", "change permissions", "set immutability policy",
            ])
        let queue = Self.blob.replacing("sr=b&sp=rw", with: "sp=raup%21")
        #expect(
            try await Self.inspect(queue).object["permissions"] as? [String] == [
                "read", "add", "update", "process", "unknown",
            ])
    }

    @Test func `recognizes a user delegation SAS and its key's expiry`() async throws {
        let user = "&skoid=00000000-0000-0000-0000-000000000001&ske="
        let (object, problems, _) = try await Self.inspect(Self.blob + user + "2023-11-17T22:13:20Z")
        #expect(object["kind"] as? String == "userDelegation")
        #expect(problems.isEmpty)
        let outcome = try await Self.run(Self.blob + user + "2023-11-11T22:13:20Z")
        #expect(outcome.output.contains("user delegation SAS"))
        #expect(outcome.output.contains("ske: the user's key expired 3 days ago"))
        #expect(outcome.status == 1)
    }

    @Test(arguments: [
        (blob.replacing("se=2023-11-17", with: "se=2023-11-11"), ["expired"]),
        (blob.replacing("se=2023-11-17T22%3A13%3A20Z", with: "se=2023-11-14T22%3A13%3A20Z"), ["expired"]),
        (blob.replacing("st=2023-11-01", with: "st=2023-11-15"), ["notYetValid"]),
        (blob.replacing("se=2023-11-17T22%3A13%3A20Z", with: "se=1700003600"), ["invalidTime"]),
        (blob.replacing("&sp=rw", with: ""), ["missingField"]), (blob.replacing("&sp=rw", with: "&si=readers"), []),
        (blob.replacing("sp=rw", with: "sp="), ["emptyField"]), (blob + "&sp=r", ["duplicateField"]),
        (blob.replacing("sp=rw", with: "sp=%2"), ["invalidEscape"]), (blob.dropLast(3) + "", ["missingPadding"]),
        (blob.replacing("sr=b", with: "ss=b"), ["missingField"]), ("\"\(blob)\"", ["quoted"]),
        (blob.replacing("&", with: "&amp;"), ["htmlEscaped"]),
        (
            "BlobEndpoint=https://contoso.net/;SharedAccessSignature=\(blob.split(separator: "?")[1])",
            ["surroundingText", "connectionStringField"]
        ),
    ])
    func `reports problems`(text: String, kinds: [String]) async throws {
        #expect(try await Self.inspect(text).problems == kinds)
    }

    @Test func `describes the expiry relative to now`() async throws {
        let outcome = try await Self.run(Self.blob.replacing("se=2023-11-17", with: "se=2023-11-11"))
        #expect(outcome.output.contains("\n          expired 3 days ago\n"))
        #expect(outcome.output.hasSuffix("result: invalid (1 problem)\n"))
    }

    @Test func `redacts signatures in other fields`() async throws {
        for (text, message) in [
            (Self.blob + "&si=\(Self.signature)%3D", SASProgram.redacted),
            (Self.blob.replacing("files", with: "\(Self.signature)="), SASProgram.redacted),
            (Self.blob + "&\(Self.sig)", "duplicate field (sig)"),
        ] {
            #expect(try await Self.run(text).output.contains(message))
            #expect(try await Self.run(text, "--json").output.contains(message))
        }
    }
}
