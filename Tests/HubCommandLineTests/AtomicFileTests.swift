import Foundation
import Testing

@testable import HubCommandLine

@Suite struct AtomicFileTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "atomic-file-\(UUID().uuidString)")

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    private func with(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body()
    }

    @Test func `rejects a symbolic link and keeps its target`() throws {
        try with {
            try AtomicFile.write(Array("old".utf8), to: path("file"))
            try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("file"))
            #expect(throws: AppendedFile.WriteError.self) { try AtomicFile.check(path: path("link")) }
            #expect(throws: AppendedFile.WriteError.self) { try AtomicFile.write(Array("new".utf8), to: path("link")) }
            #expect(try String(contentsOfFile: path("file"), encoding: .utf8) == "old")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
        }
    }

    @Test(arguments: ["pipe", "directory", "dangling link", "link to a pipe", "link to itself"])
    func `rejects paths that are not regular files in checks and writes`(name: String) throws {
        try with {
            #expect(unsafe mkfifo(path("pipe"), 0o600) == 0)
            try FileManager.default.createDirectory(atPath: path("directory"), withIntermediateDirectories: true)
            let links = [
                ("dangling link", "missing"), ("link to a pipe", "pipe"), ("link to itself", "link to itself"),
            ]
            for (link, target) in links {
                try FileManager.default.createSymbolicLink(atPath: path(link), withDestinationPath: path(target))
            }
            #expect(throws: AppendedFile.WriteError.self) { try AtomicFile.check(path: path(name)) }
            #expect(throws: AppendedFile.WriteError.self) { try AtomicFile.write([], to: path(name)) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 5)
        }
    }
}
