import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct IoTHubTests {
    private static let host = "contoso.azure-devices.net"
    private static let device = "\(host)/devices/Pump-1"
    private static let environment = [
        "DEVICE": "HostName=\(host);DeviceId=Pump-1;SharedAccessKey=\(SASProgram.key)",
        "HUB": "HostName=\(host);SharedAccessKeyName=iothubowner;SharedAccessKey=\(SASProgram.key)",
    ]
    private static let now = ["--now", "1700000000"]

    private static func run(_ arguments: [String], input: String = "") async throws -> BuiltProgram.Outcome {
        try await SASProgram.run(arguments + now, input: input, environment: environment)
    }

    /// Returns a token that is valid for an hour after ``now``.
    private static func token(_ options: String...) async throws -> String {
        let outcome = try await run(["sign"] + options)
        #expect((outcome.status, outcome.error) == (0, ""))
        return String(outcome.output.dropLast())
    }

    @Test func `signs the known tokens of connection strings`() async throws {
        let fields = ["connectionString", "resource", "expiry", "token"]
        for known in try Vectors.cases("sas/iot-hub.vectors", fields: fields) {
            let connection = try known.text("connectionString")
            let expiry = try known.text("expiry")
            let fromEnvironment = try await SASProgram.run(
                ["sign", "--connection-string-env", "STRING", "--expires", "@\(expiry)"] + Self.now,
                environment: ["STRING": connection])
            #expect(fromEnvironment.output == (try known.text("token")) + "\n", "\(known)")
            try await SASProgram.withTemporaryDirectory { directory in
                let file = directory.appending(path: "string")
                try connection.write(to: file, atomically: true, encoding: .utf8)
                let fromFile = try await SASProgram.run(
                    ["sign", "--connection-string-file", file.path(), "--expires", "@\(expiry)"] + Self.now)
                #expect(fromFile.output == fromEnvironment.output)
            }
        }
    }

    @Test func `signs the same token with --device-key`() async throws {
        let expected = try await Self.token("--connection-string-env", "DEVICE")
        #expect(try await Self.token("--device-key", "env:SAS_TEST_KEY", "--resource", Self.device) == expected)
        #expect(!expected.contains("skn"))
        let utf8 = try await Self.token("--connection-string-env", "DEVICE", "--secret-encoding", "utf8")
        #expect(utf8 != expected)
    }

    @Test(arguments: [
        ("Contoso.azure-devices.us/devices/Pump-1", "Contoso.azure-devices.us/devices/Pump-1"),
        ("https://Contoso.servicebus.windows.net/Hub", "https://contoso.servicebus.windows.net/hub"),
    ])
    func `preserves the letter case of IoT Hub's resources`(resource: String, signed: String) async throws {
        let outcome = try await Self.run(["sign", "--json", "--resource", resource] + SASProgram.keyOptions)
        #expect(try SASProgram.objects(outcome.output).first?["resource"] as? String == signed)
    }

    @Test func `prints the key name only of a policy's token`() async throws {
        for (variable, resource, name) in [("DEVICE", Self.device, nil), ("HUB", Self.host, "iothubowner")] {
            let outcome = try await Self.run(["sign", "--json", "--connection-string-env", variable])
            let object = try #require(try SASProgram.objects(outcome.output).first)
            #expect(object["resource"] as? String == resource)
            #expect(object["keyName"] as? String == name)
        }
    }

    @Test(arguments: [
        (
            ["--connection-string-env", "DEVICE", "--hub", "x"],
            "--hub cannot be combined with a connection string of IoT Hub"
        ),
        (["--device-key", "SAS_TEST_KEY", "--resource", "h"], "--device-key: expected env:VARIABLE or file:PATH"),
        (["--device-key", "env:SAS_TEST_KEY"], "missing --resource"),
        (["--device-key", "env:WORD", "--resource", "h"], "--device-key: the key is not valid Base64"),
        (["--connection-string-env", "NO_ID"], "the connection string has no SharedAccessKeyName"),
        (["--connection-string-env", "BAD_KEY"], "invalid SharedAccessKey at byte 22 of the connection string"),
    ])
    func `rejects invalid usage`(options: [String], message: String) async throws {
        let outcome = try await SASProgram.run(
            ["sign"] + options,
            environment: Self.environment.merging([
                "WORD": "sesame", "NO_ID": "HostName=h;SharedAccessKey=\(SASProgram.key)",
                "BAD_KEY": "HostName=h;DeviceId=d;SharedAccessKey=sesame",
            ]) { $1 })
        #expect(outcome.status == 2)
        #expect(outcome.error.contains(message))
    }

    @Test func `verifies a device's token for its resources`() async throws {
        let token = try await Self.token("--connection-string-env", "DEVICE")
        for key in [["--connection-string-env", "DEVICE"], ["--device-key", "env:SAS_TEST_KEY"]] {
            let verify = ["verify", "--resource", Self.device + "/messages/events"] + key
            let outcome = try await Self.run(verify, input: token)
            #expect(
                outcome.output == """
                    valid
                    \(Self.device), device key, expires in 1 hour (2023-11-14T23:13:20Z)

                    """)
            #expect((outcome.status, outcome.error) == (0, ""))
            let json = try await Self.run(verify + ["--json"], input: token)
            let object = try #require(try SASProgram.objects(json.output).first)
            #expect(object["valid"] as? Bool == true)
            #expect(object["keyName"] == nil)
        }
        let other = try await Self.run(
            ["verify", "--resource", "\(Self.host)/devices/Pump-2", "--device-key", "env:SAS_TEST_KEY"], input: token)
        #expect(other.output == "invalid: the token is for another resource: \"\(Self.device)\"\n")
        #expect(other.status == 1)
    }

    @Test func `rejects a device's token if only policies have keys`() async throws {
        let outcome = try await Self.run(
            ["verify", "--resource", Self.device, "--connection-string-env", "HUB"],
            input: try await Self.token("--connection-string-env", "DEVICE"))
        #expect(outcome.output.hasPrefix("invalid: the token has no skn"))
        #expect(outcome.output.contains("--device-key"))
        #expect(outcome.status == 1)
    }

    @Test func `names the policy of a token if only devices have keys`() async throws {
        let outcome = try await Self.run(
            ["verify", "--resource", Self.host, "--device-key", "env:SAS_TEST_KEY"],
            input: try await Self.token("--connection-string-env", "HUB"))
        #expect(outcome.output == "invalid: no key given for the policy \"iothubowner\", only for a device\n")
        #expect(outcome.status == 1)
    }

    @Test func `verifies lines with tokens of policies and devices in order`() async throws {
        let device = try await Self.token("--connection-string-env", "DEVICE")
        let policy = try await Self.token("--connection-string-env", "HUB", "--resource", Self.device)
        let unnamed = policy.replacing("&skn=iothubowner", with: "")
        let lines = [
            device, policy, "x", device + "&skn=", policy + "x", device.replacing("Pump-1", with: "pump-1"), unnamed,
        ]
        let outcome = try await Self.run(
            ["verify", "--lines", "--resource", Self.device, "--device-key", "env:SAS_TEST_KEY"]
                + ["--connection-string-env", "HUB"], input: lines.joined(separator: "\n"))
        let objects = try SASProgram.objects(outcome.output)
        #expect(
            objects.map { ($0["reasons"] as? [String])?.first ?? "valid" } == [
                "valid", "valid", "malformed", "valid", "unknownKey", "invalidSignature", "valid",
            ])
        #expect(objects[1]["keyName"] as? String == "iothubowner")
        #expect(
            objects[4]["message"] as? String
                == "no key given for the policy \"iothubownerx\", only for \"iothubowner\", a device")
        #expect(outcome.status == 1)
    }

    @Test func `explains a device's token`() async throws {
        let token = try await Self.token("--connection-string-env", "DEVICE")
        let outcome = try await Self.run(["inspect", "--connection-string-env", "DEVICE"], input: token)
        #expect(
            outcome.output
                == """
                sr        contoso.azure-devices.net%2Fdevices%2FPump-1
                          contoso.azure-devices.net/devices/Pump-1
                sig       (redacted) 44 characters after decoding: 32 bytes in canonical Base64
                se        1700003600
                          2023-11-14T23:13:20Z, expires in 1 hour
                skn       (none) IoT Hub finds the key by the device in sr
                signed    contoso.azure-devices.net%2Fdevices%2FPump-1\\n1700003600
                encoding  verbatim, python, python-iot, eventhubs-java
                key       signed with the device's key
                result: valid

                """.replacing(
                    ", python-iot",
                    with: SASProgram.signature(of: token).contains("%2F")
                        ? "" : ", python-iot"))
        #expect(outcome.status == 0)
    }

    private static func kinds(_ token: String, _ keys: String...) async throws -> (type: String?, kinds: [String]) {
        let outcome = try await run(["inspect", "--json"] + keys, input: token)
        let object = try #require(try SASProgram.objects(outcome.output).first)
        let findings = object["findings"] as? [[String: Any]] ?? []
        #expect(outcome.status == (findings.contains { $0["problem"] as? Bool == true } ? 1 : 0))
        return (object["type"] as? String, findings.compactMap { $0["kind"] as? String })
    }

    @Test func `distinguishes tokens of devices and policies`() async throws {
        let device = try await Self.token("--connection-string-env", "DEVICE")
        let policy = try await Self.token("--connection-string-env", "HUB", "--resource", Self.device)
        let hub =
            "SharedAccessSignature sr=https%3A%2F%2Fcontoso.net%2Fhub&sig=\(SASProgram.signature(of: device))&se=1700003600"
        #expect(try await Self.kinds(device) == ("deviceToken", []))
        #expect(try await Self.kinds(device + "&skn=") == ("deviceToken", []))
        #expect(try await Self.kinds(policy) == ("policyToken", []))
        // A token of Notification Hubs must name a policy.
        #expect(try await Self.kinds(hub) == ("policyToken", ["missingField"]))
        #expect(
            try await Self.kinds(policy, "--device-key", "env:SAS_TEST_KEY") == ("policyToken", ["keyNameMismatch"]))
        let unnamed = policy.replacing("&skn=iothubowner", with: "")
        #expect(
            try await Self.kinds(unnamed, "--connection-string-env", "HUB") == ("policyToken", ["missingField"])
        )
        let other = device.replacing("Pump-1", with: "Pump-2")
        #expect(try await Self.kinds(other, "--device-key", "env:SAS_TEST_KEY") == ("deviceToken", ["unknownSigner"]))
    }

    @Test func `identifies a key whose Base64 was not decoded`() async throws {
        let token = try await Self.token("--connection-string-env", "DEVICE", "--secret-encoding", "utf8")
        let outcome = try await Self.run(["inspect", "--connection-string-env", "DEVICE"], input: token)
        #expect(
            outcome.output.contains(
                "signed with the device's key, but incorrectly: the key's text was used (decode its Base64)"))
        #expect(outcome.status == 1)
    }
}
