import HubCommandLine
import HubText

/// The secrets that an audit does not report.
struct KnownSecrets {
    /// Allowed secrets: a fingerprint, or `nil` for all, and the files in which they are allowed, or `nil` for all.
    private var allowed: [(fingerprint: String?, files: Glob?)] = []
    /// The files and fingerprints of an earlier report, as they are written in JSON.
    private var baseline: Set<[UInt8]> = []

    /// Allows a secret in all files.
    mutating func allow(_ fingerprint: String, of option: OptionName) throws(UsageError) {
        guard let fingerprint = Self.fingerprint(fingerprint) else {
            throw UsageError("\(option): expected a fingerprint of 16 hexadecimal digits")
        }
        allowed.append((fingerprint, nil))
    }

    /// Allows the secrets in a file. Each line contains a fingerprint, or `*` for all secrets, and can contain a pattern for
    /// the files in which they are allowed. `#` starts a comment.
    mutating func allow(listIn path: String) throws {
        for (index, line) in try Self.lines(of: path).enumerated() {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0.isASCIIWhitespace }.map(\.lossyText)
            guard let first = words.first else { continue }
            let fingerprint = Self.fingerprint(first)
            guard words.count <= 2, fingerprint != nil || first == "*" && words.count == 2 else {
                throw UsageError(
                    "\(path):\(index + 1): expected a fingerprint of 16 hexadecimal digits or *, and a pattern")
            }
            allowed.append((fingerprint, words.dropFirst().first.map(Glob.init)))
        }
    }

    /// Adds the secrets of a report of `sas audit --json`.
    mutating func addBaseline(_ path: String) throws {
        for (index, line) in try Self.lines(of: path).enumerated() where !line.isEmpty {
            guard let file = Self.member("file", of: line), let fingerprint = Self.member("fingerprint", of: line)
            else {
                throw UsageError("\(path):\(index + 1): expected a line of sas audit --json")
            }
            baseline.insert(file + fingerprint)
        }
    }

    /// Returns whether a secret is allowed or in the baseline.
    func contains(_ fingerprint: String, in file: AuditedFile) -> Bool {
        if allowed.contains(where: { ($0 ?? fingerprint) == fingerprint && $1?.matches(file.path) ?? true }) {
            return true
        }
        guard !baseline.isEmpty else { return false }
        var object = JSONOutput()
        object.add("file", file.name)
        return baseline.contains((Self.member("file", of: object.bytes[...]) ?? []) + Array(fingerprint.utf8))
    }

    private static func fingerprint(_ text: String) -> String? {
        let digits = text.utf8.map(\.asciiLowercased)
        return digits.count == 16 && digits.allSatisfy(\.isASCIIHexDigit) ? digits.lossyText : nil
    }

    /// Returns the encoded value of a string member.
    private static func member(_ name: String, of object: ArraySlice<UInt8>) -> [UInt8]? {
        let key = "\"\(name)\":\""
        guard let start = object.firstIndex(ignoringCase: key).map({ $0 + key.utf8.count }) else { return nil }
        var end = start
        while end < object.endIndex, object[end] != UInt8(ascii: "\"") {
            end += object[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < object.endIndex else { return nil }
        // In the log of a CI job, a hash sign after another one is escaped.
        let escape = Array("\\u0023".utf8)
        var value: [UInt8] = []
        var rest = object[start..<end]
        while let first = rest.first {
            let isEscape = rest.starts(with: escape)
            value.append(isEscape ? UInt8(ascii: "#") : first)
            rest = rest.dropFirst(isEscape ? escape.count : 1)
        }
        return value
    }

    private static func lines(of path: String) throws -> [ArraySlice<UInt8>] {
        do {
            let bytes = try InputFile(path: Array(path.utf8)).rest(upTo: .max)
            // Editors on Windows add a byte order mark.
            return bytes.dropFirst(bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0).split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        } catch {
            throw InputError(source: path, reason: error)
        }
    }
}
