@testable import NotificationHubs

/// A fuzz test that parses arbitrary bytes as a registration, a page of registrations, a job, a list of blobs and
/// feedback.
enum RegistrationPart {
    static func check(_ input: [UInt8]) {
        _ = try? Registration.Page(HubResponse(status: 200, body: input))
        _ = try? BlobPage(input)
        checkFeedback(input)
        guard let root = try? Atom.read(input) else { return }
        _ = try? NotificationHub.Job(xml: root)
        guard let read = try? Registration.Entry(xml: root), (try? read.registration.check()) != nil else { return }
        let description = Registration.Description(
            read.registration, id: read.id, entityTag: read.entityTag, expirationTime: read.expirationTime)
        guard let xml = try? description.xml, let serialized = try? XMLWriter.write(Atom.entry(xml)) else {
            return require(false, "cannot serialize a valid registration")
        }
        let reparsed = try? Registration.Entry(xml: Atom.read(serialized))
        require(
            reparsed?.registration == read.registration,
            "the serialized registration parses differently: \(serialized.text)")
        require(
            reparsed?.id == read.id && reparsed?.expirationTime == read.expirationTime,
            "the serialized registration has another ID or expiration time")
    }

    /// Checks that the input parses as the same entries at once and in two parts.
    private static func checkFeedback(_ input: [UInt8]) {
        func entries(_ parts: [[UInt8]]) -> [PushFeedback]? {
            var reader = FeedbackReader()
            var entries: [PushFeedback] = []
            do {
                for part in parts {
                    reader.append(part)
                    while let entry = try reader.next(isAtEnd: false) { entries.append(entry) }
                }
                while let entry = try reader.next(isAtEnd: true) { entries.append(entry) }
                return entries
            } catch {
                return nil
            }
        }
        let half = input.count / 2
        let (whole, split) = (entries([input]), entries([Array(input[..<half]), Array(input[half...])]))
        require(whole == split, "\(split?.count ?? -1) entries in two parts; expected \(whole?.count ?? -1)")
    }
}
