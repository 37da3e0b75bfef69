public import Foundation
import HubCommandLine
import NotificationHubs

/// A program to run in tests, such as one of the package's own tools.
public struct BuiltProgram: Sendable {
    /// The location of the program.
    public let url: URL

    /// Creates a program from the name of a product of this package.
    public init(product: String) {
        url = Self.buildDirectory.appending(path: product)
    }

    /// Creates a program from its location on this machine.
    public init(at url: URL) {
        self.url = url
    }

    /// The version that all tools print.
    public static let version = Tool.version

    /// The directory with the package's built products and modules, which also contains the tests.
    public static var buildDirectory: URL {
        #if canImport(Darwin)
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        #else
        let tests = URL(filePath: CommandLine.arguments[0])
        #endif
        return tests.deletingLastPathComponent()
    }

    /// Limits the number of programs that run concurrently.
    private static let limiter = ConcurrencyLimiter(limit: 6)

    /// The output and the exit status of a program.
    public struct Outcome: Sendable {
        /// The text written to standard output.
        public let output: String
        /// The text written to standard error.
        public let error: String
        /// The exit status, or the number of the signal that ended the program.
        public let status: Int32
    }

    /// Runs the program until it ends.
    ///
    /// - Parameters:
    ///   - environment: Variables to add to those of the test process. Variables that select a hub or a git repository, or that a
    ///     CI job sets, are not inherited.
    ///   - input: The text of standard input.
    ///   - started: Called with the running program; may block.
    public func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "",
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["input", "output", "error"].map { folder.appending(path: $0) }
        try Data(input.utf8).write(to: files[0])
        let status = try await Self.limiter.run {
            try await withCheckedThrowingContinuation { continuation in
                // A thread of the pool for tasks must not wait.
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            let program = try RunningProgram(
                                url.path, arguments, environment: environment, input: files[0].path,
                                output: files[1].path, error: files[2].path)
                            started(program)
                            return program.end()
                        })
                }
            }
        }
        return Outcome(output: try Self.text(of: files[1]), error: try Self.text(of: files[2]), status: status)
    }

    /// Returns the text of a file. `Data(contentsOf:)` leaks memory when it reads an empty file.
    public static func text(of url: URL) throws -> String {
        String(decoding: try FileHandle(forReadingFrom: url).readToEnd() ?? Data(), as: UTF8.self)
    }

    /// Runs the program until it ends.
    public func run(_ arguments: String...) async throws -> Outcome {
        try await run(arguments)
    }
}
