import HubText

extension Registration.Description {
    /// Parses a description. Its kind is its name or its `i:type` attribute. The elements can have any order.
    ///
    /// ``Registration/check(enforcesLimits:)`` validates the values.
    package init(xml: XMLElement, at path: String = "content") throws(XMLContentError) {
        let (name, platform, kind, isTemplate) = try Self.kind(of: xml, at: path)
        var reader = ElementReader(xml, at: "\(path)/\(name)")
        var parts: [String] = []
        for element in kind.handle { parts.append(try reader.required(element.rawValue).content()) }
        let channel = PushChannel(platform: platform, parts: parts)
        var template: Registration.Template?
        if isTemplate { template = try Registration.Template(&reader, kind) }
        self.init(
            Registration(
                pushChannel: channel, tags: try reader.optional("Tags")?.tags() ?? [],
                pushVariables: try reader.optional("PushVariables")?.pushVariables() ?? [:], template: template,
                secondaryTileName: kind.channel.contains(.secondaryTileName)
                    ? try reader.optional("SecondaryTileName")?.text : nil))
        id = try reader.optional("RegistrationId")?.checked()
        entityTag = try reader.optional("ETag")?.checked()
        expirationTime = try reader.optional("ExpirationTime")?.date()
        otherElements = reader.rest.map(\.localName)
    }

    /// Returns whether clients can write descriptions of a kind. `FcmRegistrationDescription` occurs only in older data.
    package static func isWritable(_ xml: XMLElement) throws(XMLContentError) -> Bool {
        let (_, platform, kind, _) = try kind(of: xml, at: "content")
        return kind.handle == platform.row?.registrations.first?.handle
    }

    /// Returns the names of the elements of a description's kind, in the order of the service's data contract.
    package static func elementNames(of xml: XMLElement) throws(XMLContentError) -> [String] {
        let (_, _, kind, isTemplate) = try kind(of: xml, at: "content")
        return kind.elements(isTemplate: isTemplate).map(\.rawValue)
    }

    /// Returns the names of the elements that a description's kind requires.
    package static func requiredElementNames(of xml: XMLElement) throws(XMLContentError) -> [String] {
        let (_, _, kind, isTemplate) = try kind(of: xml, at: "content")
        return kind.requiredElements(isTemplate: isTemplate).map(\.rawValue)
    }

    /// Returns the name of a description's kind if the kind is unknown; otherwise `nil`.
    static func unknownKind(of xml: XMLElement) -> String? {
        let name = kindName(of: xml)
        guard Registration.Kind.named(name) == nil, name.hasSuffix(Registration.Kind.nameSuffix),
            name != Registration.Kind.nameSuffix
        else { return nil }
        return name
    }

    private static func kindName(of xml: XMLElement) -> String {
        guard xml.localName.hasSameBytes(as: Registration.Kind.nameSuffix), let type = xml.attribute("type")
        else {
            return xml.localName
        }
        return XMLElement.localName(type)
    }

    private static func kind(
        of xml: XMLElement, at path: String
    ) throws(XMLContentError) -> (name: String, platform: PushPlatform, kind: Registration.Kind, isTemplate: Bool) {
        let name = kindName(of: xml)
        guard let (platform, kind, isTemplate) = Registration.Kind.named(name) else {
            throw XMLContentError("\(path)/\(name.escapedForDisplay)", "is not a known kind of registration")
        }
        return (name, platform, kind, isTemplate)
    }
}

extension Registration.Template {
    fileprivate init(_ reader: inout ElementReader, _ kind: Registration.Kind) throws(XMLContentError) {
        self.init(body: try reader.required("BodyTemplate").text)
        for element in kind.template where element != .bodyTemplate {
            guard let child = try reader.optional(element.rawValue) else { continue }
            switch element {
            case .templateName: name = Name(unchecked: try child.text)
            case .expiry: expiry = Expiry.expression(try child.content())
            case .priority: priority = try child.content()
            case .messageType: messageType = try child.int()
            default: headers = try child.headers(String(element.rawValue.dropLast()))
            }
        }
    }
}

extension ElementReader.Child {
    /// Returns tags that are separated by commas and optional white space.
    fileprivate func tags() throws(XMLContentError) -> [NotificationHub.Tag] {
        try text.utf8.split(separator: UInt8(ascii: ",")).map(\.trimmed).filter { !$0.isEmpty }.map {
            NotificationHub.Tag(unchecked: String(Substring($0)))
        }
    }

    /// Returns the members of a JSON object. Numbers and Booleans are converted to strings, as in the .NET SDK.
    fileprivate func pushVariables() throws(XMLContentError) -> [String: String] {
        let json: JSONValue
        let text = try text
        do {
            json = try JSONValue(parsing: text.utf8)
        } catch {
            throw XMLContentError(path, "is not JSON: \(error)")
        }
        do {
            return try JSONMemberReader.Member(json, .document).dictionary(by: \.self) {
                member throws(HubValidationError) in
                switch member.value {
                case .number(let number): number.text
                case .bool(let flag): "\(flag)"
                default: try member.text()
                }
            }
        } catch {
            throw XMLContentError(path, "is invalid: \(error)")
        }
    }

    /// - Parameter name: The name of the element for one header.
    fileprivate func headers(_ name: String) throws(XMLContentError) -> [String: String] {
        var headers: [String: String] = [:]
        for child in element.children {
            guard child.localName == name else { throw XMLContentError(path, "contains an element other than \(name)") }
            var reader = ElementReader(child, at: "\(path)/\(name)")
            let header = try reader.required("Header").content()
            let value = try reader.optional("Value")?.text ?? ""
            guard headers.updateValue(value, forKey: header) == nil else {
                throw XMLContentError(path, "contains a duplicate header")
            }
        }
        return headers
    }
}
