#if canImport(FoundationEssentials)
package import struct FoundationEssentials.Date
#else
package import struct Foundation.Date
#endif

extension Registration {
    /// What stands in an entry: a registration, and what the service adds to it. A client sends none of that; the emulator
    /// reads requests and writes answers by the same code.
    package struct Description: Hashable, Sendable {
        package var registration: Registration
        package var id: ID?
        package var entityTag: EntityTag?
        package var expirationTime: Date?
        /// The names of the elements that were not read.
        package var otherElements: [String] = []

        package init(
            _ registration: Registration, id: ID? = nil, entityTag: EntityTag? = nil, expirationTime: Date? = nil
        ) {
            self.registration = registration
            self.id = id
            self.entityTag = entityTag
            self.expirationTime = expirationTime
        }
    }
}

extension Registration.Entry {
    /// An entry of a feed, or one alone.
    package init(xml entry: XMLElement, at path: String = "entry") throws(UnreadableXML) {
        let description = try Atom.description(in: entry, at: path)
        let read = try Registration.Description(xml: description, at: "\(path)/content")
        guard let id = read.id else {
            throw UnreadableXML("\(path)/content/\(description.localName)/RegistrationId", "is required")
        }
        var entityTag = read.entityTag
        if entityTag == nil, let text = entry.attribute("etag") {
            entityTag = try? Registration.EntityTag(validating: text)
        }
        self.init(
            id: id, registration: read.registration, entityTag: entityTag, expirationTime: read.expirationTime,
            otherElements: read.otherElements)
    }
}
