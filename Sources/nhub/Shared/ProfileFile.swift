import HubCommandLine
import HubText
import NotificationHubs

/// The configuration file with profiles: `nhub/config` in `$XDG_CONFIG_HOME` or `~/.config`.
///
/// ```
/// # A comment
/// [staging]
/// connection-string-env = STAGING_HUB
/// hub = push
/// ```
struct ProfileFile: Sendable {
    /// The settings of a profile.
    enum Key: String, CaseIterable, Sendable {
        case hub
        case connectionString = "connection-string"
        case connectionStringVariable = "connection-string-env"
        case connectionStringFile = "connection-string-file"
    }

    /// A named set of settings.
    struct Profile: Sendable {
        let name: String
        /// The file and the line of its header, such as `/home/zoe/.config/nhub/config:3`.
        let location: String
        fileprivate(set) var settings: [Key: HubSource.Setting] = [:]

        /// The key of the setting with the connection string, or with its place.
        var connectionKey: Key? { settings.keys.first { $0 != .hub } }

        /// The settings as a source.
        var source: HubSource {
            let connection: HubSource.Connection? =
                settings[.connectionString].map { .text($0) } ?? settings[.connectionStringVariable].map {
                    .variable($0)
                }
                ?? settings[.connectionStringFile].map { .file($0) }
            return HubSource(
                hub: settings[.hub], connection: connection,
                missingHub: UsageError("\(location): [\(name)] has no hub: add hub = NAME, or pass --hub"))
        }
    }

    let path: String
    /// The profiles, in the file's order.
    let profiles: [Profile]

    /// The name of the profile that is used if nothing else names a hub.
    static let standardName = "default"
    private static let maximumSize = 1 << 20

    /// The profile `default`, if it exists.
    var standard: Profile? { profiles.first { $0.name == Self.standardName } }

    /// Returns a profile.
    ///
    /// - Parameter source: The option or variable that selects it.
    func profile(named name: String, of source: String) throws(UsageError) -> Profile {
        guard let profile = profiles.first(where: { $0.name.hasSameBytes(as: name) }) else {
            let hint = Suggestion.text(for: name, among: profiles.map(\.name))
            throw UsageError("\(source): no profile \(Arguments.quoted(name)) in \(path)\(hint)")
        }
        guard profile.connectionKey != nil else {
            throw UsageError("\(profile.location): [\(profile.name)] has no connection string")
        }
        return profile
    }
}

extension ProfileFile {
    /// The file's path; `nil` if neither variable is set. As the specification requires, a relative `XDG_CONFIG_HOME` is ignored.
    private static var path: String? {
        let home = HubSource.Setting(variable: "XDG_CONFIG_HOME")?.value
        if let home, home.utf8.first == UInt8(ascii: "/") { return home + "/nhub/config" }
        return HubSource.Setting(variable: "HOME").map { $0.value + "/.config/nhub/config" }
    }

    /// Reads the file.
    ///
    /// - Throws: `UsageError` if the file is missing or invalid, or if other users can access a connection string in it.
    static func read() throws(UsageError) -> ProfileFile {
        guard let path else { throw UsageError("no configuration file: HOME is not set") }
        guard let file = try readIfPresent() else {
            throw UsageError("no configuration file: create \(path) (see nhub help profiles)")
        }
        return file
    }

    /// Reads the file; `nil` if it does not exist.
    static func readIfPresent() throws(UsageError) -> ProfileFile? {
        guard let path else { return nil }
        let bytes: [UInt8]
        let (isOwned, isAccessibleToOthers): (Bool, Bool)
        do {
            let file = try InputFile(path: Array(path.utf8))
            (isOwned, isAccessibleToOthers) = (file.isOwnedByUser, file.isAccessibleToOthers)
            bytes = try file.rest(upTo: maximumSize + 1)
        } catch {
            if error.isMissing { return nil }
            throw UsageError("cannot read \(path): \(error)")
        }
        guard bytes.count <= maximumSize else { throw UsageError("\(path) is larger than \(maximumSize) bytes") }
        let file = try ProfileFile(parsing: bytes, path: path)
        // Checked after parsing, because a file without a secret can be shared.
        if file.profiles.contains(where: { $0.connectionKey == .connectionString }) {
            guard isOwned else {
                throw UsageError(
                    "\(path) contains a connection string, but belongs to another user: become its owner, then run chmod 600 \(path)"
                )
            }
            guard !isAccessibleToOthers else {
                throw UsageError(
                    "\(path) contains a connection string, but other users can access the file: chmod 600 \(path)")
            }
        }
        return file
    }

    /// Parses the file's content.
    ///
    /// - Throws: `UsageError` with the line. It omits values, which can be secrets.
    init(parsing bytes: [UInt8], path: String) throws(UsageError) {
        self.path = path
        var profiles: [Profile] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            let (line, location) = (bytes.trimmed, "\(path):\(index + 1)")
            guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { continue }
            if first == UInt8(ascii: "[") {
                let profile = try Profile(header: line, at: location)
                if let other = profiles.first(where: { $0.name == profile.name }) {
                    throw UsageError("\(location): duplicate profile; the first one is at \(other.location)")
                }
                profiles.append(profile)
            } else {
                guard !profiles.isEmpty else {
                    throw UsageError("\(location): expected [NAME] before the first setting")
                }
                try profiles[profiles.count - 1].add(line, at: location, in: path)
            }
        }
        self.profiles = profiles
    }
}

extension ProfileFile.Profile {
    /// Parses a header such as `[staging]`.
    fileprivate init(header line: ArraySlice<UInt8>, at location: String) throws(UsageError) {
        let name = line.dropFirst().dropLast()
        guard line.last == UInt8(ascii: "]"), (1...64).contains(name.count),
            name.allSatisfy({ $0.isASCIILetterOrDigit || "-_.".utf8.contains($0) })
        else { throw UsageError("\(location): expected [NAME] of letters, digits and - _ .") }
        (self.name, self.location) = (name.lossyText, location)
    }

    /// Adds a setting such as `hub = push`.
    fileprivate mutating func add(_ line: ArraySlice<UInt8>, at location: String, in path: String) throws(UsageError) {
        let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let keys = ProfileFile.Key.allCases.map(\.rawValue)
        guard parts.count == 2 else { throw UsageError("\(location): expected KEY = VALUE") }
        let name = parts[0].trimmed.lossyText
        guard let key = ProfileFile.Key(rawValue: name) else {
            throw UsageError(
                "\(location): unknown key \(Arguments.quoted(name)) (allowed: \(keys.joined(separator: ", ")))")
        }
        let label = "\(location): \(key.rawValue)"
        guard settings[key] == nil else { throw UsageError("\(label) given more than once") }
        if key != .hub, let other = connectionKey {
            throw UsageError("\(label) cannot be combined with \(other.rawValue)")
        }
        guard let value = String(strictUTF8: parts[1].trimmed), !value.isEmpty else {
            throw UsageError("\(label): expected a value in valid UTF-8")
        }
        if key == .hub { _ = try UsageError.parsing(label) { try NotificationHub.Name(validating: value) } }
        if key == .connectionStringVariable,
            !value.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") })
        {
            throw UsageError("\(label): expected the name of an environment variable")
        }
        settings[key] = .init(key == .connectionStringFile ? Self.resolved(value, in: path) : value, from: label)
    }

    /// Returns a path. `~/` is the home directory, and other relative paths are relative to the configuration file.
    private static func resolved(_ value: String, in path: String) -> String {
        if value.utf8.first == UInt8(ascii: "/") { return value }
        if value.utf8.starts(with: "~/".utf8), let home = HubSource.Setting(variable: "HOME") {
            return home.value + String(Substring(value.utf8.dropFirst(1)))
        }
        let directory = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { Substring(path.utf8[...$0]) } ?? ""
        return directory + value
    }
}
