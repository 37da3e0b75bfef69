import NotificationHubs

extension HubState {
    /// All registrations, those that installations are among them, each in a line.
    func exportedRegistrations() -> [UInt8] {
        registrationCandidates(for: nil).flatMap(Self.line)
    }

    /// Does with the registration of each line what an import is to do.
    ///
    /// - Returns: the registrations as they are then, each in a line, and why others have failed.
    mutating func importRegistrations(
        _ kind: NotificationHub.Job.Kind, _ file: [UInt8]
    ) -> (done: [UInt8], failed: [UInt8]) {
        var (done, failed): ([UInt8], [UInt8]) = ([], [])
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        let lines = file.dropFirst(file.starts(with: mark) ? mark.count : 0)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.allSatisfy({ $0 <= 0x20 }) {
            do throws(ServiceRefusal) {
                done += Self.line(try apply(try RegistrationBody.read(line: Array(line)), kind))
            } catch {
                failed += Array("line \(index + 1): \(error.text)\n".utf8)
            }
        }
        return (done, failed)
    }

    private mutating func apply(
        _ description: Registration.Description, _ kind: NotificationHub.Job.Kind
    ) throws(ServiceRefusal) -> HeldRegistration {
        let old = description.id.flatMap { registrations.entries[$0] }
        switch (kind, old) {
        case (.create, _?):
            throw ServiceRefusal(409, "There is a registration of this RegistrationId")
        case (.update, nil), (.delete, nil):
            throw ServiceRefusal(404, "There is no registration of this RegistrationId")
        case (.delete, let old?):
            registrations.remove(old.id)
            return old
        default:
            return try put(description.registration, id: description.id ?? registrations.newID())
        }
    }

    private static func line(_ entry: HeldRegistration) -> [UInt8] {
        // What cannot be written was not taken.
        guard let bytes = try? entry.description(expirationTime: ServiceTime.neverText, inOneLine: true) else {
            return []
        }
        return bytes + [UInt8(ascii: "\n")]
    }
}
