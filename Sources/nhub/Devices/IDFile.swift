import HubCommandLine
import HubText
import NotificationHubs

/// A file of IDs: one per line or element of a JSON array, alone or as a member of an object.
struct IDFile {
    private let path: String
    private let member: String

    /// - Parameters:
    ///   - path: The file, or `-` for standard input.
    ///   - member: The name of the member with the ID, such as `installationId`.
    init(_ path: String, member: String) {
        (self.path, self.member) = (path, member)
    }

    /// Reads all IDs, without duplicates and in order.
    ///
    /// - Throws: ``InputError`` for an invalid line.
    func ids<ID: HubCheckedText>(_ id: (String) throws(HubValidationError) -> ID) throws -> [ID] {
        var ids: [ID] = []
        var seen: Set<ID> = []
        do {
            let file = path == "-" ? InputFile.standardInput : try InputFile(path: Array(path.utf8))
            let lines = LineReader(file, maximumLength: LineReader.maximumLineLength)
            while let line = try lines.nextUnlessCancelled() {
                let text = line.bytes[...].trimmed
                if text.isEmpty { continue }
                let read: ID
                do {
                    read = try id(try self.text(of: text))
                } catch {
                    throw InputError(description: "invalid ID at line \(line.number) of the file: \(error)")
                }
                if seen.insert(read).inserted { ids.append(read) }
            }
        } catch let error as InputFile.ReadError {
            throw FileReadError(what: "the file", reason: error)
        }
        return ids
    }

    private func text(of line: ArraySlice<UInt8>) throws -> String {
        guard let first = line.first, "{\"".utf8.contains(first) else { return String(decoding: line, as: UTF8.self) }
        switch try JSONValue(parsing: line) {
        case .string(let id): return id
        case .object(let object):
            if let id = object[member]?.string { return id }
        default: break
        }
        throw InputError(description: "expected an ID, or a JSON object with the member \(member)")
    }
}
