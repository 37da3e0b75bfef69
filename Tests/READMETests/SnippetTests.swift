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

/// Tests that compile the Swift snippets of the README and of all articles.
@Suite struct SnippetTests {
    /// The modules of other packages. Tests/Scripts/release/other-packages and Tests/Scripts/client/hummingbird build and run the snippets that
    /// import them. Vapor is not available there.
    static let otherModules = ["AsyncHTTPClient", "Hummingbird", "Logging", "ServiceLifecycle", "Vapor"]

    static let snippets = Result {
        let root = Fixtures.root
        let sources = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Sources").path)
        let articles = sources.filter { $0.hasSuffix(".md") }.sorted().map { "Sources/\($0)" }
        return try (["README.md"] + articles)
            .flatMap { document in
                try String(contentsOf: root.appending(path: document), encoding: .utf8)
                    .split(separator: "\n```swift\n").dropFirst()
                    .map { String($0.split(separator: "\n```")[0]) + "\n" }
            }
            .filter { snippet in !otherModules.contains { snippet.contains("import \($0)\n") } }
    }

    /// Declarations that the snippets use without defining them, with the README's names.
    static let declarations = """
        import Foundation
        import NotificationHubs
        let connectionString = ""
        let policyKey = ""
        let otherPolicyKey = ""
        let header = ""
        @Sendable func tokenFromBackend(_ resource: String) async throws -> String { resource }
        let secret: [UInt8] = []
        let message: [UInt8] = []
        let deviceToken = Data()
        let userName = ""
        let password = ""
        struct MyTransport: HubTransport {
            func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse { HubResponse(status: 200) }
        }
        struct Database {
            struct Row {
                func text(_ column: String) throws -> String { column }
                func date(_ column: String) throws -> Date { Date() }
            }
            func rows(_ statement: String) async throws -> [Row] { [] }
            @discardableResult func run(_ statement: String) async throws -> Int { 0 }
        }
        @Sendable func account(_ name: String, _ password: String) async -> (name: String, plan: String)? { nil }
        """

    @Test func `finds the snippets`() throws {
        #expect(try Self.snippets.get().count > 25)
    }

    @Test func `compiles all snippets`() async throws {
        let errors = try await compile(try Self.snippets.get())
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test func `detects a planted compile error`() async throws {
        let wrong = try Self.snippets.get()[0].replacing("NotificationHub(", with: "NotificationHut(")
        #expect(try await compile([wrong]).contains("NotificationHut"))
    }

    /// Compiles snippets in one run of the compiler, each as the body of a function or, with tests, of a type.
    ///
    /// - Returns: The errors and warnings of the compiler, except those for unused or unmodified variables.
    private func compile(_ snippets: [String]) async throws -> String {
        let lines = snippets.map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        let imports = Set(lines.joined().filter { $0.hasPrefix("import ") }).sorted()
        let functions = lines.enumerated().map { number, lines in
            let body = lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
            // A macro cannot declare a test in a function.
            let scope = body.contains("@Test") ? "struct Snippet\(number)" : "func snippet\(number)() async throws"
            return "\(scope) {\n\(body)\n}\n"
        }
        let source = imports.joined(separator: "\n") + "\n" + functions.joined()
        let folder = FileManager.default.temporaryDirectory.appending(path: "snippet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(source.utf8).write(to: folder.appending(path: "snippets.swift"))
        try Data(Self.declarations.utf8).write(to: folder.appending(path: "declarations.swift"))
        let modules = BuiltProgram.buildDirectory.appending(path: "Modules").path
        let outcome = try await BuiltProgram(at: URL(filePath: "/usr/bin/env")).run(
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-I", modules,
                folder.appending(path: "snippets.swift").path, folder.appending(path: "declarations.swift").path,
            ])
        let messages = (outcome.output + outcome.error).split(separator: "\n").filter { line in
            [": error: ", ": warning: "].contains { line.contains($0) } && !line.contains("never used")
                && !line.contains("never mutated")
        }
        return messages.joined(separator: "\n")
            + (outcome.status != 0 && messages.isEmpty ? "status \(outcome.status)" : "")
    }
}
