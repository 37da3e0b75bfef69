import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator

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
