import HubCommandLine
import NotificationHubsEmulator

/// The file of `--state`, with the state of all hubs.
struct StateFile: Sendable {
    let path: String

    /// The maximum length of a line, which exceeds that of the longest blob in Base64.
    private static let maximumLineLength = 512 << 20

    /// The path for an error, after a space; empty if the path may be a secret.
    private var name: String { Arguments.fileName(path).map { " \($0)" } ?? "" }

    /// Checks that the file can be written, and reads it.
    ///
    /// - Returns: The state; `nil` if the file does not exist.
    /// - Throws: ``FileError`` or `CancellationError`.
    func read() throws -> Snapshot? {
        do {
            try AtomicFile.check(path: path)
        } catch {
            throw FileError("cannot write the state\(name): \(error)")
        }
        do {
            let lines = LineReader(try InputFile(path: Array(path.utf8)), maximumLength: Self.maximumLineLength)
            var reader = SnapshotReader()
            while let line = try lines.nextUnlessCancelled() {
                try reader.read(line.bytes)
            }
            return try reader.finish()
        } catch let error as InputFile.ReadError {
            if error.isMissing { return nil }
            throw FileError("cannot read the state\(name): \(error)")
        } catch let error as HubEmulator.SnapshotError {
            throw FileError("invalid state\(name.isEmpty ? "" : " in")\(name): \(error)")
        }
    }

    /// Replaces the file. Only its owner can read it, because it contains keys.
    ///
    /// - Parameter snapshot: The state of all hubs.
    func write(_ snapshot: [UInt8]) throws(FileError) {
        do {
            try AtomicFile.write(snapshot, to: path)
        } catch {
            throw FileError("cannot write the state\(name): \(error)")
        }
    }
}
