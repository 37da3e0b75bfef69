import Foundation
import HubTestSupport
import Testing

/// The files of a corpus in `Fixtures/audit`, whose README describes the format.
struct AuditCorpus {
    /// A secret that must be found.
    struct Secret: Hashable {
        let file: String
        let line: Int
        let kind: String
        /// The key or the signature in Base64.
        let text: String
    }

    private(set) var secrets: [Secret] = []
    /// The paths and the contents.
    private(set) var files: [(path: String, content: Data)] = []

    init(_ name: String) throws {
        let url = Fixtures.root.appending(path: "Fixtures/audit/\(name).corpus")
        var header: [Substring] = []
        var content: [Substring] = []
        for line in try String(contentsOf: url, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if line.hasPrefix("@@@@ ") {
                try add(header, content)
                (header, content) = ([line], [])
            } else if content.isEmpty, line.hasPrefix("> ") {
                header.append(line)
            } else {
                content.append(line)
            }
        }
        // The last line feed ends the last file's last line.
        try add(header, Array(content.dropLast()))
    }

    private mutating func add(_ header: [Substring], _ lines: [Substring]) throws {
        guard let first = header.first else { return }
        let parts = first.dropFirst(5).components(separatedBy: " | ")
        let path = parts[0]
        let text = lines.map { $0 + "\n" }.joined()
        files.append((path, try Self.encoded(text, parts[1])))
        for line in header.dropFirst() {
            let words = line.split(separator: " ")
            secrets.append(
                Secret(
                    file: path, line: try #require(Int(words[1])), kind: String(words[2]), text: String(words[3])))
        }
    }

    private static func encoded(_ text: String, _ name: String) throws -> Data {
        let mark = name.hasSuffix("-bom") ? "\u{feff}" : ""
        let encodings: [String: String.Encoding] = [
            "utf-8": .utf8, "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian, "utf-32le": .utf32LittleEndian,
            "utf-32be": .utf32BigEndian,
        ]
        switch name {
        case "crlf": return Data(text.replacingOccurrences(of: "\n", with: "\r\n").utf8)
        case "binary-nul": return Data(text.replacingOccurrences(of: "\u{2400}", with: "\0").utf8)
        // The test compresses the file.
        case "gzip": return Data(text.utf8)
        default:
            let encoding = try #require(encodings[name.replacingOccurrences(of: "-bom", with: "")])
            return try #require((mark + text).data(using: encoding))
        }
    }

    /// Writes the files into a directory. Files with the extension `gz` are compressed.
    func write(to directory: URL) async throws {
        for (path, content) in files {
            let file = directory.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: file)
        }
        let compressed = files.map(\.path).filter { $0.hasSuffix(".gz") }
        guard !compressed.isEmpty else { return }
        let outcome = try await BuiltProgram(at: URL(filePath: "/bin/sh")).run(
            ["-c", "cd \"$0\" && for f; do gzip -nc \"$f\" > new && mv new \"$f\" || exit 1; done", directory.path()]
                + compressed, environment: [:])
        #expect(outcome.status == 0)
    }
}
