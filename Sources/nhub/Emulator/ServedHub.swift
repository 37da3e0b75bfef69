import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator

/// A hub that is to be emulated, and the files of its installations.
struct ServedHub: Sendable {
    let name: NotificationHub.Name
    private var importPath: String?
    private var exportPath: String?
    /// What messages about it begin with: its name, where there are several hubs.
    private(set) var label = ""

    private init(_ name: NotificationHub.Name) {
        self.name = name
    }

    /// Takes the hubs and their files off the command line.
    static func all(_ arguments: inout Arguments) throws(UsageError) -> [ServedHub] {
        var hubs: [ServedHub] = []
        for (_, text) in try arguments.values(of: "--hub") {
            let name = try HubSettings.name(text)
            guard index(of: name.rawValue, in: hubs) == nil else { throw UsageError("--hub names a hub twice") }
            hubs.append(ServedHub(name))
        }
        if hubs.isEmpty { hubs = [ServedHub(try HubSettings.name("push"))] }
        try takeFiles("--import", \.importPath, of: &hubs, &arguments)
        try takeFiles("--export", \.exportPath, of: &hubs, &arguments)
        let exportPaths = hubs.compactMap(\.exportPath)
        guard Set(exportPaths).count == exportPaths.count else { throw UsageError("--export names a file twice") }
        if hubs.count > 1 { for index in hubs.indices { hubs[index].label = "\(hubs[index].name): " } }
        return hubs
    }

    private static func index(of name: some StringProtocol, in hubs: [ServedHub]) -> Int? {
        hubs.firstIndex { $0.name.isSame(as: name) }
    }

    private static func takeFiles(
        _ option: String, _ file: WritableKeyPath<ServedHub, String?>, of hubs: inout [ServedHub],
        _ arguments: inout Arguments
    ) throws(UsageError) {
        for (_, text) in try arguments.values(of: option) {
            var (index, path) = (0, text)
            let parts = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            // What stands before the sign and can be no hub's name is a part of a path.
            if parts.count == 2, let name = try? NotificationHub.Name(validating: Substring(parts[0])) {
                guard let named = Self.index(of: name.rawValue, in: hubs) else {
                    throw UsageError(
                        "\(option): there is no such hub; name it by --hub, too, or write a file as ./FILE")
                }
                guard !parts[1].isEmpty else { throw UsageError("\(option) wants FILE or HUB=FILE") }
                (index, path) = (named, String(Substring(parts[1])))
            }
            guard hubs[index][keyPath: file] == nil else { throw UsageError("\(option) names a hub twice") }
            hubs[index][keyPath: file] = path
        }
    }

    /// Puts the installations that it begins with into the hub, and makes sure that they can be left in the end.
    ///
    /// - Throws: ``FileProblem``, and `CancellationError`.
    func fill(_ hub: HubEmulator) throws {
        if let exportPath {
            do {
                try ReplacedFile.check(path: exportPath)
            } catch {
                throw FileProblem("\(label)the export cannot be written: \(error)")
            }
        }
        guard let importPath else { return }
        do {
            try InstallationFile.read(importPath, into: hub, mayBeMissing: importPath == exportPath)
        } catch let error as FileProblem {
            throw FileProblem("\(label)\(error)")
        }
    }

    /// Leaves the hub's installations in their file.
    func keep(_ hub: HubEmulator) throws(FileProblem) {
        guard let exportPath else { return }
        do {
            try ReplacedFile.write(InstallationFile.lines(of: hub), to: exportPath)
        } catch {
            throw FileProblem("\(label)the export cannot be written: \(error)")
        }
    }
}

/// A file of installations, one a line, as `nhub import` takes them.
enum InstallationFile {
    /// Puts the installations of a file into a hub.
    ///
    /// - Parameter mayBeMissing: whether a file that is not there is one without a line.
    /// - Throws: ``FileProblem``, at the first line that the hub does not take, and `CancellationError`.
    static func read(_ path: String, into hub: HubEmulator, mayBeMissing: Bool) throws {
        do {
            let reader = LineReader(try InputFile(path: Array(path.utf8)), longest: ImportLine.longest)
            while let line = try reader.next() {
                try Task.checkCancellation()
                guard let line = ImportLine(line) else { continue }
                do {
                    try hub.seed(line.installation.get())
                } catch {
                    throw FileProblem("line \(line.number) of the import cannot be taken: \(error)")
                }
            }
        } catch let error as InputFile.Unreadable {
            if mayBeMissing, error.isMissing { return }
            throw FileProblem("cannot read the import: \(error)")
        }
    }

    /// A hub's installations, ordered by id: those of writes too that are still queued, as their time will not come any more.
    static func lines(of hub: HubEmulator) -> [UInt8] {
        hub.acceptedInstallations.flatMap { $0.json + [UInt8(ascii: "\n")] }
    }
}

/// A file that cannot be read or written, or is not what it should be.
struct FileProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
