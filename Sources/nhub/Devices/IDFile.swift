import HubCommandLine
import HubText
import NotificationHubs

/// A file of IDs: one per line or element of a JSON array, alone or as a member of an object.
struct IDFile {
    private let path: String
    private let member: Member

    /// A member of an object with an ID.
    enum Member: String, CaseIterable {
        case installationId, registrationId
    }

    /// - Parameters:
    ///   - path: The file, or `-` for standard input.
    ///   - member: The member with the ID.
    init(_ path: String, member: Member) {
        (self.path, self.member) = (path, member)
    }

    /// Reads all IDs, without duplicates and in order. Objects that contain only an ID of another kind are skipped, with a note on
    /// standard error.
    ///
    /// - Throws: ``InputError`` for an invalid line.
    func ids<ID: _HubCheckedText>(_ id: (String) throws(HubValidationError) -> ID) throws -> [ID] {
        var ids: [ID] = []
        var skippedCount = 0
        var seen: Set<ID> = []
        do {
            let file = path == "-" ? InputFile.standardInput : try InputFile(path: Array(path.utf8))
            let lines = LineReader(file, maximumLength: LineReader.maximumLineLength)
            while let line = try lines.nextUnlessCancelled() {
                let text = line.bytes[...].trimmed
                if text.isEmpty { continue }
                let read: ID
                do {
                    guard let text = try self.text(of: text) else {
                        skippedCount += 1
                        continue
                    }
                    read = try id(text)
                } catch {
                    throw InputError(description: "invalid ID at line \(line.number) of the file: \(error)")
                }
                if seen.insert(read).inserted { ids.append(read) }
            }
        } catch let error as InputFile.ReadError {
            throw FileReadError("the file", path, reason: error)
        }
        if skippedCount > 0 {
            Console.error("nhub: skipped \(skippedCount) lines of the file without \(member.rawValue)")
        }
        return ids
    }

    /// Returns the ID in a line, or `nil` for an object with an ID of another kind.
    private func text(of line: ArraySlice<UInt8>) throws -> String? {
        guard let first = line.first, "{\"".utf8.contains(first) else { return String(decoding: line, as: UTF8.self) }
        switch try JSONValue(parsing: line) {
        case .string(let id): return id
        case .object(let object):
            if let id = object[member.rawValue]?.string { return id }
            if Member.allCases.contains(where: { object[$0.rawValue] != nil }) { return nil }
        default: break
        }
        throw InputError(description: "expected an ID, or a JSON object with the member \(member.rawValue)")
    }
}
