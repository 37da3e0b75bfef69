import Foundation
import HubTestSupport
import Testing

/// Recorded requests and responses of the real service, in the directory that `HUB_RECORDINGS` names. They are not part of this
/// repository.
enum Recordings {
    /// The directory. A relative path is relative to the repository's root.
    static let folder = ProcessInfo.processInfo.environment["HUB_RECORDINGS"].map {
        URL(filePath: $0, directoryHint: .isDirectory, relativeTo: Fixtures.root)
    }

    static func names(_ folder: String, prefix: String = "") throws -> [String] {
        guard let base = Self.folder else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: base.appending(path: folder).path)
            .filter { $0.lowercased().hasPrefix(prefix) }.sorted()
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: try #require(folder).appending(path: path)))
    }

    static func read<Value: Decodable>(_ type: Value.Type, _ path: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes(path)))
    }

    /// Returns the files of a directory.
    static func files(_ folder: String) throws -> [(name: String, bytes: [UInt8])] {
        try names(folder).map { ($0, try bytes("\(folder)/\($0)")) }
    }
}
