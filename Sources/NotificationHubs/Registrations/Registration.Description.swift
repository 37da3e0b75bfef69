import HubText

#if canImport(FoundationEssentials)
package import struct FoundationEssentials.Date
#else
package import struct Foundation.Date
#endif

extension Registration {
    /// The content of an entry: a registration and the values that the service adds to it.
    ///
    /// The client does not send the service's values. The emulator uses this type for requests and responses.
    package struct Description: Hashable, Sendable {
        package var registration: Registration
        package var id: ID?
        package var entityTag: EntityTag?
        /// The expiration time as the service writes it: "never" is the last second of the year 9999.
        package var expirationTime: Date?
        /// The names of unknown elements.
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
    /// Parses an entry, alone or in a feed.
    package init(xml entry: XMLElement, at path: String = "entry") throws(XMLContentError) {
        try self.init(entry, Atom.description(in: entry, at: path), at: path)
    }

    /// Parses an entry with a description.
    init(_ entry: XMLElement, _ description: XMLElement, at path: String) throws(XMLContentError) {
        let read = try Registration.Description(xml: description, at: "\(path)/content")
        guard let id = read.id else {
            throw XMLContentError("\(path)/content/\(description.localName)/RegistrationId", "is required")
        }
        var entityTag = read.entityTag
        if entityTag == nil, let text = entry.attribute("etag") {
            entityTag = try? Registration.EntityTag(validating: text)
        }
        self.init(
            id: id, registration: read.registration, entityTag: entityTag,
            expirationTime: read.expirationTime?.unlessNever,
            otherElements: read.otherElements)
    }
}

extension Registration.Description {
    /// The description as XML, without empty elements, in the order of the service's data contract.
    ///
    /// - Throws: ``HubValidationError`` if the platform does not support registrations.
    package var xml: XMLElement {
        get throws(HubValidationError) {
            guard let kind = registration.pushChannel.platform.row?.registrations.first else {
                throw HubValidationError(
                    .invalidPlatform, "the platform \(registration.pushChannel.platform) does not support registrations"
                )
            }
            let isTemplate = registration.template != nil
            return XMLElement(
                name: kind.name(isTemplate: isTemplate),
                children: kind.elements(isTemplate: isTemplate).compactMap { element(for: $0, kind) })
        }
    }

    private func element(for element: Registration.Element, _ kind: Registration.Kind) -> XMLElement? {
        let template = registration.template
        switch element {
        case .apnsHeaders, .wnsHeaders, .mpnsHeaders: return template?.headerElement(element.rawValue)
        default: break
        }
        guard let text = text(for: element, kind), !text.isEmpty else { return nil }
        return XMLElement(name: element.rawValue, text: text, writesCDATA: element == .bodyTemplate)
    }

    private func text(for element: Registration.Element, _ kind: Registration.Kind) -> String? {
        let template = registration.template
        switch element {
        case .entityTag: return entityTag?.rawValue
        case .expirationTime: return expirationTime.flatMap { Timestamp($0)?.text }
        case .registrationID: return id?.rawValue
        case .tags: return registration.tags.map(\.rawValue).joined(separator: ",")
        case .pushVariables: return JSONValue.texts(registration.pushVariables)?.text
        case .secondaryTileName: return registration.secondaryTileName
        case .bodyTemplate: return template?.body
        case .expiry: return template?.expiry?.rawValue
        case .templateName: return template?.name?.rawValue
        case .priority: return template?.priority
        case .messageType: return template?.messageType.map { "\($0)" }
        default:
            return zip(kind.handle, registration.pushChannel.parts).first { $0.0 == element }?.1
        }
    }
}

extension Registration.Template {
    fileprivate func headerElement(_ name: String) -> XMLElement? {
        if headers.isEmpty { return nil }
        let sorted = headers.sorted { $0.key.precedesByBytes($1.key) }
        return XMLElement(
            name: name,
            children: sorted.map { header, value in
                XMLElement(
                    name: String(name.dropLast()),
                    children: [XMLElement(name: "Header", text: header), XMLElement(name: "Value", text: value)])
            })
    }
}
