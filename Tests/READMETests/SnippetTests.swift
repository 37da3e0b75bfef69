import Foundation
import HubTestSupport
// Imported so that these modules are built before the snippets are compiled against them.
import DeviceRegistration
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import PushBackend
import SharedAccessSignature
import Testing

/// The Swift of the README and of articles.
@Suite struct SnippetTests {
    static let snippets = Result {
        try [
            "README.md", "Sources/NotificationHubs/NotificationHubs.docc/RegisteringDevices.md",
            "Sources/NotificationHubsHTTP/NotificationHubsHTTP.docc/NotificationHubsHTTP.md",
        ]
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
        #expect(try Self.snippets.get().count == 15)
    }

    @Test func `compile`() async throws {
        let errors = try await compile(try Self.snippets.get())
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test func `do not compile with a planted fault`() async throws {
        let wrong = try Self.snippets.get()[0].replacing("SASSigner(", with: "SASSinger(")
        #expect(try await compile([wrong]).contains("SASSinger"))
    }

    /// Compiles snippets, each as the body of a function, in one run of the compiler.
    ///
    /// - Returns: The compiler's errors and warnings, except that a constant is not used.
    private func compile(_ snippets: [String]) async throws -> String {
        let lines = snippets.map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        let imports = Set(lines.joined().filter { $0.hasPrefix("import ") }).sorted()
        let functions = lines.enumerated().map { number, lines in
            let body = lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
            return "func snippet\(number)() async throws {\n\(body)\n}\n"
        }
        let source = imports.joined(separator: "\n") + "\n" + functions.joined()
        let folder = FileManager.default.temporaryDirectory.appending(path: "snippet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(source.utf8).write(to: folder.appending(path: "snippets.swift"))
        try Data(Self.given.utf8).write(to: folder.appending(path: "given.swift"))
        let modules = BuiltProgram.buildDirectory.appending(path: "Modules").path
        let outcome = try await BuiltProgram(at: URL(filePath: "/usr/bin/env")).run(
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-I", modules,
                folder.appending(path: "snippets.swift").path, folder.appending(path: "given.swift").path,
            ])
        let messages = (outcome.output + outcome.error).split(separator: "\n").filter { line in
            [": error: ", ": warning: "].contains { line.contains($0) } && !line.contains("never used")
                && !line.contains("never mutated")
        }
        return messages.joined(separator: "\n")
            + (outcome.status != 0 && messages.isEmpty ? "status \(outcome.status)" : "")
    }
}
