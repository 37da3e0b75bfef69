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
    ///   - started: is called with the process once it runs.
    public func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "",
        started: @Sendable (Process) -> Void = { _ in }
    ) async throws -> Outcome {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // A file, which is read or not: writing to a pipe would wait for a reader, or end these tests with it.
        let inputURL = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID().uuidString)")
        try Data(input.utf8).write(to: inputURL)
        defer { try? FileManager.default.removeItem(at: inputURL) }
        process.standardInput = try FileHandle(forReadingFrom: inputURL)
        let output = Pipe()
        let error = Pipe()
        process.standardOutput = output
        process.standardError = error
        try process.run()
        started(process)
        async let outputText = text(output)
        async let errorText = text(error)
        let texts = await (outputText, errorText)
        process.waitUntilExit()
        return Outcome(output: texts.0, error: texts.1, status: process.terminationStatus)
    }

    /// Runs the program to its end.
    public func run(_ arguments: String...) async throws -> Outcome {
        try await run(arguments)
    }

    private func text(_ pipe: Pipe) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}
