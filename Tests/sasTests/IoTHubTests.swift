import Foundation
import HubTestSupport
import Testing

/// IoT Hub is another service. The tool names its tokens and connection strings, but does not sign or verify them.
@Suite(.timeLimit(.minutes(30))) struct IoTHubTests {
    private static let device = "contoso.azure-devices.net%2Fdevices%2FPump-1"
    private static let signature = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA%3D"

    private static func token(_ resource: String, _ end: String = "") -> String {
        "SharedAccessSignature sr=\(resource)&sig=\(signature)&se=1700003600\(end)"
    }

    @Test(arguments: [
        (["--connection-string-env", "DEVICE"], "the connection string is for IoT Hub"),
        (["--connection-string-env", "HUB"], "the connection string is for IoT Hub"),
        (
            ["--key", "owner=env:SAS_TEST_KEY", "--resource", "Contoso.azure-devices.us/devices/a"],
            "the resource is in IoT Hub"
        ),
    ])
    func `does not sign tokens of IoT Hub`(options: [String], message: String) async throws {
        let outcome = try await SASProgram.run(
            ["sign"] + options,
            environment: [
                "DEVICE": "HostName=h.azure-devices.net;DeviceId=a;SharedAccessKey=\(SASProgram.key)",
                "HUB": "HostName=h.azure-devices.net;SharedAccessKeyName=owner;SharedAccessKey=\(SASProgram.key)",
            ])
        #expect((outcome.status, outcome.output) == (2, ""))
        #expect(outcome.error.contains(message))
    }

    @Test(arguments: [("", "the token has no skn"), ("&skn=", "skn")])
    func `says that a device's token cannot be verified`(end: String, message: String) async throws {
        let outcome = try await SASProgram.run(
            ["verify", "--resource", "contoso.azure-devices.net/devices/Pump-1"] + SASProgram.keyOptions,
            input: Self.token(Self.device, end))
        #expect(outcome.output.hasPrefix("invalid: "))
        #expect(outcome.output.contains(message))
        #expect(outcome.output.hasSuffix(": it is the token of a device in IoT Hub, which sas does not verify\n"))
        #expect(outcome.status == 1)
    }

    @Test(arguments: [
        (token(device), "iotHubToken", ["iotHub"]), (token(device, "&skn="), "iotHubToken", ["iotHub"]),
        (token(device, "&skn=owner"), "iotHubToken", ["iotHub"]),
        (token("gateway%2Fdevices%2FPump-1"), "iotHubToken", ["iotHub"]),
        (token("https%3A%2F%2Fcontoso.net%2Fhub"), "policyToken", ["missingField"]),
        (token("https%3A%2F%2Fcontoso.net%2Fdevices%2Fa", "&skn=owner"), "policyToken", []),
    ])
    func `names IoT Hub's tokens in a report`(token: String, type: String, kinds: [String]) async throws {
        let outcome = try await SASProgram.run(["inspect", "--json", "--now", "1700000000"], input: token)
        let object = try #require(try SASProgram.objects(outcome.output).first)
        #expect(object["type"] as? String == type)
        #expect((object["findings"] as? [[String: Any]])?.compactMap { $0["kind"] as? String } == kinds)
        #expect(outcome.status == (kinds.isEmpty ? 0 : 1))
    }
}
