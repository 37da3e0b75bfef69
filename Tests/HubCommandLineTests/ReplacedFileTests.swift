import Foundation
import Testing

@testable import HubCommandLine

@Suite struct ReplacedFileTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "replaced-\(UUID().uuidString)")

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    private func with(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body()
    }

    @Test func `writes the file that a link leads to, and leaves the link`() throws {
        try with {
            try ReplacedFile.write(Array("old".utf8), to: path("file"))
            try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("file"))
            try ReplacedFile.check(path: path("link"))
            try ReplacedFile.write(Array("new".utf8), to: path("link"))
            #expect(try String(contentsOfFile: path("file"), encoding: .utf8) == "new")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("link")) == path("file"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
        }
    }

    @Test(arguments: ["pipe", "directory", "link to nothing", "link to a pipe", "link to itself"])
    func `replaces nothing but files, and says so before`(name: String) throws {
        try with {
            #expect(unsafe mkfifo(path("pipe"), 0o600) == 0)
            try FileManager.default.createDirectory(atPath: path("directory"), withIntermediateDirectories: true)
            for (link, target) in [("nothing", "none"), ("a pipe", "pipe"), ("itself", "link to itself")] {
                try FileManager.default.createSymbolicLink(
                    atPath: path("link to \(link)"), withDestinationPath: path(target))
            }
            #expect(throws: AppendedFile.Failure.self) { try ReplacedFile.check(path: path(name)) }
            #expect(throws: AppendedFile.Failure.self) { try ReplacedFile.write([], to: path(name)) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 5)
        }
    }
}
