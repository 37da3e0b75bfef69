/// A line of the files that jobs read and write: `<RegistrationDescription i:type="AppleRegistrationDescription" …>`.
///
/// Source: [Export and import registrations in
/// bulk](https://learn.microsoft.com/azure/notification-hubs/export-modify-registrations-bulk).
extension Registration.Description {
    /// Parses a line. ``Registration/check(enforcesLimits:)`` validates the values.
    package init(line: [UInt8]) throws(XMLContentError) {
        let xml = try Atom.read(line)
        try self.init(xml: xml, at: "line")
        if let name = otherElements.first {
            throw XMLContentError("line/\(xml.localName)/\(name.escapedForDisplay)", "is an unknown element")
        }
    }

    /// The description as a line, without its line ending.
    ///
    /// - Throws: ``HubValidationError`` if the platform does not support registrations, or for a character that XML does not allow.
    package var line: [UInt8] {
        get throws(HubValidationError) {
            var xml = try xml
            xml.attributes = ["xmlns": Atom.serviceNamespace, "xmlns:i": Atom.instanceNamespace]
            do {
                return try XMLWriter.write(xml.asLine, declaration: false)
            } catch {
                throw HubValidationError(error)
            }
        }
    }
}

extension Registration.Entry {
    /// The entry as a line, without its line ending.
    ///
    /// - Throws: ``HubValidationError`` for a character that XML does not allow.
    package var line: [UInt8] {
        get throws(HubValidationError) {
            try Registration.Description(
                registration, id: id, entityTag: entityTag, expirationTime: expirationTime
            ).line
        }
    }
}

extension XMLElement {
    /// The description as a line, with its kind as the attribute `i:type`.
    package var asLine: XMLElement {
        XMLElement(
            name: "RegistrationDescription", attributes: attributes.merging(["i:type": name]) { $1 },
            children: withoutCDATA.children)
    }

    /// The element with all text escaped, including line breaks.
    private var withoutCDATA: XMLElement {
        var element = self
        element.writesCDATA = false
        element.children = children.map(\.withoutCDATA)
        return element
    }
}
