import HubServer
import Foundation
import HubTestSupport
import Testing

@Suite(.enabled(if: LibSSL.isAvailable), .timeLimit(.minutes(30))) struct EmulatorTLSTests {
    let data = FileManager.default.temporaryDirectory.appending(path: "nhub-\(UUID().uuidString)")

    private func run(_ words: [String]) async throws -> BuiltProgram.Outcome {
        try await BuiltProgram(product: "nhub").run(
            ["emulator"] + words, environment: ["XDG_DATA_HOME": data.path, "HOME": data.path])
    }

    @Test func `keeps its certificate authority`() async throws {
        defer { try? FileManager.default.removeItem(at: data) }
        let first = try await run(["ca"])
        let path = first.output.trimmingCharacters(in: .newlines)
        #expect(path.hasSuffix("/nhub/ca.pem"))
        let certificate = try String(contentsOfFile: path, encoding: .utf8)
        #expect(certificate.hasPrefix("-----BEGIN CERTIFICATE-----"))
        try FileManager.default.removeItem(atPath: path)
        #expect(try await run(["ca"]).output == first.output)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == certificate)
        let key = path.replacingOccurrences(of: "ca.pem", with: "ca-key.pem")
        let attributes = try FileManager.default.attributesOfItem(atPath: key)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `reports a file that is not a certificate authority`() async throws {
        defer { try? FileManager.default.removeItem(at: data) }
        let path = try await run(["ca"]).output.trimmingCharacters(in: .newlines)
        let key = path.replacingOccurrences(of: "ca.pem", with: "ca-key.pem")
        try Data("x".utf8).write(to: URL(fileURLWithPath: key))
        let outcome = try await run(["ca"])
        #expect(outcome.status == 3)
        #expect(outcome.error.contains("\(key): remove the file"))
    }

    @Test func `passes the certificate to the command of exec`() async throws {
        defer { try? FileManager.default.removeItem(at: data) }
        let outcome = try await run([
            "exec", "--tls", "--", "sh", "-c", "echo $NODE_EXTRA_CA_CERTS; echo $NOTIFICATION_HUB_CONNECTION_STRING",
        ])
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first?.hasSuffix("/nhub/ca.pem") == true)
        #expect(lines.last?.hasPrefix("Endpoint=sb://127.0.0.1:") == true)
        #expect(lines.last?.contains("UseDevelopmentEmulator") == false)
    }
}

@Suite(.timeLimit(.minutes(30))) struct EmulatorEnvironmentTests {
    private func lines(_ words: [String], _ environment: [String: String] = [:]) async throws -> [String] {
        let outcome = try await BuiltProgram(product: "nhub").run(
            ["emulator", "env"] + words, environment: environment)
        #expect((outcome.status, outcome.error) == (0, ""))
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test func `prints the connection string with the development key`() async throws {
        let key = "c3dpZnQtbm90aWZpY2F0aW9uLWh1YnMgZW11bGF0b3I="
        #expect(
            try await lines([]) == [
                "export AZURE_STORAGE_CONNECTION_STRING='DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;"
                    + "AccountKey=c3dpZnQtbm90aWZpY2F0aW9uLWh1YnMgc3RvcmFnZSE=;"
                    + "BlobEndpoint=http://127.0.0.1:8350/devstoreaccount1'",
                "export NOTIFICATION_HUB_CONNECTION_STRING='Endpoint=sb://127.0.0.1:8350/;"
                    + "SharedAccessKeyName=DefaultFullSharedAccessSignature;SharedAccessKey=\(key);"
                    + "UseDevelopmentEmulator=true'",
                "export NOTIFICATION_HUB_NAME='push'",
            ])
    }

    @Test func `uses the given hub, port and key, quoted for the shell`() async throws {
        let output = try await lines(["--hub", "a", "--port", "81", "--key-env", "KEY"], ["KEY": "it's"])
        #expect(output[0].contains("http://127.0.0.1:81/"))
        #expect(output[1].contains("//127.0.0.1:81/;"))
        #expect(output[1].contains(#"SharedAccessKey=it'\''s;"#))
        #expect(output[2] == "export NOTIFICATION_HUB_NAME='a'")
        let listening = ["--listen", "127.0.0.1"]
        #expect(try await lines(listening, ["NOTIFICATION_HUB_EMULATOR_FULL_KEY": "k"])[0].contains("=k;"))
    }

    @Test func `selects no profile, which would replace the connection string`() async throws {
        let profile = ["NHUB_PROFILE": "production"]
        #expect(try await lines([], profile).contains("export NHUB_PROFILE=''"))
        let outcome = try await EmulatorScene.exec(environment: profile, "sh", "-c", "test -z \"$NHUB_PROFILE\"")
        #expect(outcome.status == 0)
    }

    @Test(arguments: [
        (["--port", "0"], "--port: expected a number from 1 to 65535 with env"),
        (["--listen", "127.0.0.1"], "--listen with env requires NOTIFICATION_HUB_EMULATOR_FULL_KEY, --key-env"),
        (["--host", "a.test"], "--host: requires --tls"),
        (["--tls", "--host", "example.com"], "--host: expected a loopback address or a name in one of these domains"),
        (["--tls", "--host", "a.test.example"], "--host: expected a loopback address"),
        (["--behind-proxy", "hub.test"], "--behind-proxy: an endpoint must start with"),
        (["--key", "a"], #"unknown option: "--key""#),
        (["--key-env", "UNSET"], "--key-env: environment variable UNSET is not set or is empty"),
        (["--key-env", "KEY"], "--key-env: expected 1 to 256"),
        (["--key-file", "/dev/null"], "--key-file: expected 1 to 256"),
        (["--key-file", "/none"], "--key-file: cannot read the file with the key"),
        (["--key-env", "KEY", "--key-file", "/none"], "--key-env and --key-file cannot be combined"),
    ])
    func `rejects options that leave the environment open`(words: [String], message: String) async throws {
        let outcome = try await BuiltProgram(product: "nhub").run(
            ["emulator", "env"] + words, environment: ["KEY": "a;b"])
        #expect(outcome.status == 2)
        #expect(outcome.error.contains(message), "\(outcome.error)")
    }
}
