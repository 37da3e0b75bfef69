@testable import NotificationHubs

/// Any bytes, read as a registration, a page of them, a job, a list of blobs, and feedback.
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
        guard let xml = try? description.xml, let written = try? XMLWriter.write(Atom.entry(xml)) else {
            return require(false, "what was read and may be sent cannot be written")
        }
        let again = try? Registration.Entry(xml: Atom.read(written))
        require(again?.registration == read.registration, "\(written.text) is another registration")
        require(again?.id == read.id && again?.expirationTime == read.expirationTime, "it has another id or time")
    }

    /// Whole, and cut in two: the same entries, or none at all.
    private static func checkFeedback(_ input: [UInt8]) {
        func entries(_ pieces: [[UInt8]]) -> [PushFeedback]? {
            var reader = FeedbackReader()
            var entries: [PushFeedback] = []
            do {
                for piece in pieces {
                    reader.append(piece)
                    while let entry = try reader.next(isAtEnd: false) { entries.append(entry) }
                }
                while let entry = try reader.next(isAtEnd: true) { entries.append(entry) }
                return entries
            } catch {
                return nil
            }
        }
        let half = input.count / 2
        let (whole, cut) = (entries([input]), entries([Array(input[..<half]), Array(input[half...])]))
        require(whole == cut, "cut in two it has \(cut?.count ?? -1) entries, not \(whole?.count ?? -1)")
    }
}
