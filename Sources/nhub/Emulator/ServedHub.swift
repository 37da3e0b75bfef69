import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator

/// A hub to emulate, and its import and export files.
struct ServedHub: Sendable {
    let name: NotificationHub.Name
    private var importPath: String?
    private var exportPath: String?
    /// The prefix for messages about the hub: its name if there are several hubs.
    private(set) var label = ""

    /// Whether the hub has an import or an export file.
    var hasFiles: Bool { importPath != nil || exportPath != nil }

    private init(_ name: NotificationHub.Name) {
        self.name = name
    }

    /// Parses the hubs and their files from the command line.
    static func all(_ arguments: inout Arguments) throws(UsageError) -> [ServedHub] {
        var hubs: [ServedHub] = []
        for (_, text) in try arguments.values(of: .hub) {
            let name = try UsageError.parsing(.hub) { try NotificationHub.Name(validating: text) }
            guard index(of: name.rawValue, in: hubs) == nil else { throw UsageError("--hub: duplicate hub name") }
            hubs.append(ServedHub(name))
        }
        if hubs.isEmpty { hubs = [ServedHub("push")] }
        try takeFiles(.import, \.importPath, of: &hubs, &arguments)
        try takeFiles(.export, \.exportPath, of: &hubs, &arguments)
        let exportPaths = hubs.compactMap(\.exportPath)
        guard Set(exportPaths).count == exportPaths.count else {
            throw UsageError("--export: each file can be given only once")
        }
        if hubs.count > 1 { for index in hubs.indices { hubs[index].label = "\(hubs[index].name): " } }
        return hubs
    }

    private static func index(of name: String, in hubs: [ServedHub]) -> Int? {
        hubs.firstIndex { $0.name.isSame(as: name) }
    }

    private static func takeFiles(
        _ option: OptionName, _ file: WritableKeyPath<ServedHub, String?>, of hubs: inout [ServedHub],
        _ arguments: inout Arguments
    ) throws(UsageError) {
        for (_, text) in try arguments.values(of: option) {
            var (index, path) = (0, text)
            let parts = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            // Text before "=" that is not a valid hub name is part of a path.
            if parts.count == 2, let name = try? NotificationHub.Name(validating: Substring(parts[0])) {
                guard let named = Self.index(of: name.rawValue, in: hubs) else {
                    throw UsageError(
                        "\(option): unknown hub; add it with --hub, or write the file as ./FILE")
                }
                guard !parts[1].isEmpty else { throw UsageError("\(option): expected FILE or HUB=FILE") }
                (index, path) = (named, String(Substring(parts[1])))
            }
            guard hubs[index][keyPath: file] == nil else {
                throw UsageError("\(option): given more than once for a hub")
            }
            hubs[index][keyPath: file] = path
        }
    }

    /// Checks that the export can be written, and imports the installations into a hub.
    ///
    /// - Throws: ``FileError`` or `CancellationError`.
    func importInstallations(into hub: HubEmulator) throws {
        if let exportPath {
            do {
                try AtomicFile.check(path: exportPath)
            } catch {
                throw FileError("\(label)cannot write the export: \(error)")
            }
        }
        guard let importPath else { return }
        do {
            try InstallationFile.read(importPath, into: hub, mayBeMissing: importPath == exportPath)
        } catch let error as FileError {
            throw FileError("\(label)\(error)")
        }
    }

    /// Writes a hub's installations to the export file.
    func exportInstallations(of hub: HubEmulator) throws(FileError) {
        guard let exportPath else { return }
        do {
            try AtomicFile.write(InstallationFile.lines(of: hub), to: exportPath)
        } catch {
            throw FileError("\(label)cannot write the export: \(error)")
        }
    }
}

/// A file with one installation per line, as for `nhub import`.
enum InstallationFile {
    /// Imports a file's installations into a hub.
    ///
    /// - Parameter mayBeMissing: Whether a missing file counts as empty.
    /// - Throws: ``FileError`` at the first line that the hub rejects, or `CancellationError`.
    static func read(_ path: String, into hub: HubEmulator, mayBeMissing: Bool) throws {
        do {
            let reader = LineReader(try InputFile(path: Array(path.utf8)), maximumLength: ImportLine.maximumLength)
            while let line = try reader.nextUnlessCancelled() {
                guard let line = ImportLine(line) else { continue }
                do {
                    guard case .installation(let installation) = try line.device.get() else {
                        throw FileError(
                            "it contains a registration: import it with nhub import while the emulator runs")
                    }
                    try hub.seed(installation)
                } catch {
                    throw FileError("invalid import at line \(line.number): \(error)")
                }
            }
        } catch let error as InputFile.ReadError {
            if mayBeMissing, error.isMissing { return }
            throw FileError("cannot read the import: \(error)")
        }
    }

    /// Returns a hub's installations, ordered by ID.
    ///
    /// They include queued writes, since the hub stops before these become visible.
    static func lines(of hub: HubEmulator) -> [UInt8] {
        hub.acceptedInstallations.flatMap { $0.json + [UInt8(ascii: "\n")] }
    }
}

/// An error for a file that cannot be read or written, or has invalid content.
struct FileError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
