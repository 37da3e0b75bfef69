public import Foundation

/// Runs programs, the package's own tools as they were built among them.
public struct BuiltProgram: Sendable {
    private let url: URL

    /// A product of the package, by its name.
    public init(product: String) {
        url = Self.buildDirectory.appending(path: product)
    }

    /// A program anywhere on the machine.
    public init(at url: URL) {
        self.url = url
    }

    /// Where the package's products and modules are: beside the tests themselves.
    public static var buildDirectory: URL {
        #if canImport(Darwin)
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        #else
        let tests = URL(filePath: CommandLine.arguments[0])
        #endif
        return tests.deletingLastPathComponent()
    }

    /// Tests are many, and processors are few.
    private static let queue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 6
        return queue
    }()

    /// What a program left behind.
    public struct Outcome: Sendable {
        /// What it wrote to standard output.
        public let output: String
        /// What it wrote to standard error.
        public let error: String
        /// What it ended with.
        public let status: Int32
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - environment: variables besides those of the tests.
    ///   - input: what it reads from standard input.
    ///   - started: is called with the program once it runs; it may wait.
    public func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "",
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["input", "output", "error"].map { folder.appending(path: $0) }
        try Data(input.utf8).write(to: files[0])
        let status = try await withCheckedThrowingContinuation { continuation in
            Self.queue.addOperation {
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
        return Outcome(output: try Self.text(of: files[1]), error: try Self.text(of: files[2]), status: status)
    }

    /// A file's text. `Data(contentsOf:)` leaks the memory that it reads an empty file into.
    public static func text(of url: URL) throws -> String {
        String(decoding: try FileHandle(forReadingFrom: url).readToEnd() ?? Data(), as: UTF8.self)
    }

    /// Runs the program to its end.
    public func run(_ arguments: String...) async throws -> Outcome {
        try await run(arguments)
    }
}
