import Foundation
import HubTestSupport

/// A result of an earlier run, as a line of `--json`.
struct SavedResult {
    var name: String
    var ns: Double
    var median: Double?
    var implementation = "HubCrypto"
    var machine = "Test CPU, 4 processors; TestOS 1.0; Swift 6.3"
    var commit = "0123456789abcdef0123456789abcdef01234567"

    var line: String {
        #"{"case":"\#(name)","implementation":"\#(implementation)","kernel":"portable","ns":\#(ns),"#
            + #""median":\#(median ?? ns),"bytes":1024,"machine":"\#(machine)","commit":"\#(commit)","allocations":0}"#
            + "\n"
    }
}

/// A temporary directory with files for the benchmark.
struct Files: ~Copyable {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Writes a file and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        let path = path(name)
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    func path(_ name: String) -> String { directory.appending(path: name).path }
}

extension BuiltProgram {
    /// Reports saved results, passed as standard input.
    func report(_ results: [SavedResult], _ arguments: String...) async throws -> Outcome {
        try await run(["--input", "-"] + arguments, input: results.map(\.line).joined())
    }
}
