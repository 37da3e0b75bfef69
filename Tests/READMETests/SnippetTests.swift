import Foundation
import HubTestSupport
// Imported so that these modules are built before the snippets are compiled against them.
import DeviceRegistration
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsURLSession
import PushBackend
import SharedAccessSignature
import Testing

/// The Swift of the README and of an article, compiled as it stands there.
@Suite struct SnippetTests {
    static let snippets = Result {
        try ["README.md", "Sources/NotificationHubs/NotificationHubs.docc/RegisteringDevices.md"]
            .flatMap { document in
                try String(contentsOf: Fixtures.root.appending(path: document), encoding: .utf8)
                    .split(separator: "\n```swift\n").dropFirst()
                    .map { String($0.split(separator: "\n```")[0]) + "\n" }
            }
            // What needs other packages is built and run by Tests/Scripts/other-packages and Tests/Scripts/hummingbird; Vapor
            // is none of those that are at hand.
            .filter { snippet in !["Logging", "Hummingbird", "Vapor"].contains { snippet.contains("import \($0)") } }
    }

    /// What a snippet may take for granted, with the README's words for it.
    static let given = """
        import Foundation
        let connectionString = ""
        let policyKey = ""
        let otherPolicyKey = ""
        let header = ""
        @Sendable func tokenFromBackend(_ resource: String) async throws -> String { resource }
        let secret: [UInt8] = []
        let message: [UInt8] = []
        let deviceToken = Data()
        @Sendable func account(_ name: String, _ password: String) async -> (name: String, plan: String)? { nil }
        """

    @Test func `there are snippets`() throws {
        #expect(try Self.snippets.get().count == 13)
    }

    @Test(arguments: try snippets.get())
    func `compiles`(snippet: String) async throws {
        let errors = try await compile(snippet)
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test func `does not compile what is wrong`() async throws {
        let wrong = try Self.snippets.get()[0].replacing("SASSigner(", with: "SASSinger(")
        #expect(try await compile(wrong).contains("SASSinger"))
    }

    /// - Returns: what the compiler says, nothing if all is well.
    private func compile(_ snippet: String) async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "snippet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(snippet.utf8).write(to: folder.appending(path: "main.swift"))
        try Data(Self.given.utf8).write(to: folder.appending(path: "given.swift"))
        let modules = BuiltProgram.buildDirectory.appending(path: "Modules").path
        let outcome = try await BuiltProgram(at: URL(filePath: "/usr/bin/env")).run(
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", modules,
                folder.appending(path: "main.swift").path, folder.appending(path: "given.swift").path,
            ])
        return outcome.status == 0 ? "" : outcome.output + outcome.error
    }
}
