import HubText

extension Registration.Description {
    /// Reads a description, of a name that says its kind, or of one that says it by `i:type`; its elements in any order.
    ///
    /// Values are taken as they are; what the service would not take, ``Registration/check()`` finds.
    package init(xml: XMLElement, at path: String = "content") throws(UnreadableXML) {
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
        otherElements = reader.rest.map { String($0.localName) }
    }

    /// The names of a description's elements, in the order of the service's contract.
    package static func elementNames(of xml: XMLElement) throws(UnreadableXML) -> [String] {
        let (_, _, kind, isTemplate) = try kind(of: xml, at: "content")
        return kind.elements(isTemplate: isTemplate).map(\.rawValue)
    }

    /// The name of a registration's kind, if it is none that is known.
    static func unknownKind(of xml: XMLElement) -> String? {
        let name = kindName(of: xml)
        let isKind =
            name.utf8.count > Registration.Kind.nameSuffix.utf8.count && name.hasSuffix(Registration.Kind.nameSuffix)
        return isKind && Registration.Kind.named(name) == nil ? String(name) : nil
    }

    private static func kindName(of xml: XMLElement) -> Substring {
        guard xml.localName.utf8.elementsEqual(Registration.Kind.nameSuffix.utf8), let type = xml.attribute("type")
        else {
            return xml.localName
        }
        return XMLElement.localName(type)
    }

    private static func kind(
        of xml: XMLElement, at path: String
    ) throws(UnreadableXML) -> (name: Substring, platform: PushPlatform, kind: Registration.Kind, isTemplate: Bool) {
        let name = kindName(of: xml)
        guard let (platform, kind, isTemplate) = Registration.Kind.named(name) else {
            throw UnreadableXML("\(path)/\(String(name).shownInside)", "is no kind of registration that is known")
        }
        return (name, platform, kind, isTemplate)
    }
}

extension Registration.Template {
    fileprivate init(_ reader: inout ElementReader, _ kind: Registration.Kind) throws(UnreadableXML) {
        self.init(body: try reader.required("BodyTemplate").text)
        for element in kind.template where element != .bodyTemplate {
            guard let child = try reader.optional(element.rawValue) else { continue }
            switch element {
            case .templateName: name = Name(unchecked: child.text)
            case .expiry: expiry = Expiry.expression(try child.content())
            case .priority: priority = try child.content()
            case .messageType: messageType = try child.int()
            default: headers = try child.headers(String(element.rawValue.dropLast()))
            }
        }
    }
}

extension ElementReader.Child {
    /// Tags with commas between them, and white space around them.
    fileprivate func tags() -> [NotificationHub.Tag] {
        text.utf8.split(separator: UInt8(ascii: ",")).map(\.trimmed).filter { !$0.isEmpty }.map {
            NotificationHub.Tag(unchecked: String(Substring($0)))
        }
    }

    /// The text of a JSON object of texts; of other simple values, too, which .NET's SDK reads as texts.
    fileprivate func pushVariables() throws(UnreadableXML) -> [String: String] {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: text.utf8)
        } catch {
            throw UnreadableXML(path, "is no JSON: \(error)")
        }
        do {
            return try JSONMemberReader.Member(value: json, path: "").dictionary {
                value, path throws(HubValidationError) in
                switch value {
                case .number(let number): number.text
                case .bool(let flag): "\(flag)"
                default: try JSONMemberReader.Member(value: value, path: path).text()
                }
            }
        } catch {
            throw UnreadableXML(path, "cannot be taken: \(error)")
        }
    }

    /// - Parameter name: the name of the elements that have a header each.
    fileprivate func headers(_ name: String) throws(UnreadableXML) -> [String: String] {
        var headers: [String: String] = [:]
        for child in element.children {
            guard child.localName == name else { throw UnreadableXML(path, "has something else than \(name)") }
            var reader = ElementReader(child, at: "\(path)/\(name)")
            let header = try reader.required("Header").content()
            let value = try reader.optional("Value")?.text ?? ""
            guard headers.updateValue(value, forKey: header) == nil else {
                throw UnreadableXML(path, "has a header twice, to look at")
            }
        }
        return headers
    }
}
