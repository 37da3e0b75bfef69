import HubText

extension Installation {
    /// Creates an installation from the service's JSON.
    ///
    /// Tags, template names and the user's ID are validated only when the installation is sent.
    ///
    /// - Throws: ``HubValidationError`` if the text is not JSON, or if a member is missing or has the wrong type.
    public init(json bytes: some Sequence<UInt8>) throws(HubValidationError) {
        let bytes = Array(bytes)
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw HubValidationError(.invalidJSON, "invalid JSON: \(error)")
        }
        try self.init(value)
        if pushChannel.browserSubscription != nil, let source = JSONReader.text(ofMember: "pushChannel", in: bytes) {
            pushChannel.setSource(source)
        }
    }

    /// The installation as the service's JSON, without empty members.
    ///
    /// It includes the read-only ``isPushChannelExpired``, which ``NotificationHub/putInstallation(_:)`` does not send.
    public var json: [UInt8] { JSONValue.object(members).bytes }

    init(_ json: JSONValue) throws(HubValidationError) {
        var reader = try JSONMemberReader(json)
        let idText = try reader.required("installationId").text()
        do {
            id = try ID(validating: idText)
        } catch {
            throw error.at("installationId")
        }
        let platform = PushPlatform(rawValue: try reader.required("platform").text())
        pushChannel = try reader.required("pushChannel").read { json throws(HubValidationError) in
            try PushChannel(platform: platform, json)
        }
        userID = try reader.optional("userId").map { member throws(HubValidationError) in
            UserID(unchecked: try member.text())
        }
        tags = try reader.optional("tags")?.tags() ?? []
        pushVariables = try reader.optional("pushVariables")?.texts() ?? [:]
        templates = try reader.optional("templates")?.templates() ?? [:]
        secondaryTiles =
            try reader.optional("secondaryTiles")?.dictionary(by: \.self) { tile throws(HubValidationError) in
                try tile.read(SecondaryTile.init)
            } ?? [:]
        expirationTime = try reader.optional("expirationTime")?.date().unlessNever
        isPushChannelExpired = try reader.optional("pushChannelExpired")?.bool()
        additionalProperties = AdditionalProperties(reader.rest)
    }

    var members: JSONObject {
        var members = additionalProperties.members
        members.reserveCapacity(adding: 10)
        members["expirationTime"] = expirationTime.flatMap { Timestamp($0) }.map { .string($0.text) }
        members["installationId"] = .string(id.rawValue)
        members["platform"] = .string(pushChannel.platform.rawValue)
        members["pushChannel"] = pushChannel.json
        members["pushChannelExpired"] = isPushChannelExpired.map { .bool($0) }
        members["pushVariables"] = .texts(pushVariables)
        members["secondaryTiles"] = .dictionary(secondaryTiles) { .init(name: $0.key, value: $0.value.json) }
        members["tags"] = .tags(tags)
        members["templates"] = .templates(templates)
        members["userId"] = userID.map { .string($0.rawValue) }
        return members
    }
}

extension JSONValue {
    /// Returns an object with a member for each element, or `nil` if it would be empty.
    static func dictionary<Key, Value>(
        _ elements: [Key: Value], _ member: ((key: Key, value: Value)) -> JSONObject.Member
    ) -> Self? {
        elements.isEmpty ? nil : .object(.init(unique: elements.map(member)))
    }

    static func texts(_ texts: [String: String]) -> Self? {
        texts.isEmpty ? nil : .object(.init(texts))
    }

    static func tags(_ tags: [NotificationHub.Tag]) -> Self? {
        tags.isEmpty ? nil : .array(tags.map { .string($0.rawValue) })
    }

    static func templates(_ templates: [Installation.Template.Name: Installation.Template]) -> Self? {
        dictionary(templates) { .init(name: $0.key.rawValue, value: $0.value.json) }
    }
}

extension Installation: Codable {
    /// Decodes the service's JSON.
    ///
    /// Numbers in ``additionalProperties`` can lose digits beyond the 38th. ``init(json:)`` is lossless.
    public init(from decoder: any Decoder) throws {
        self = try decoder.reading { json throws(HubValidationError) in try Installation(json) }
    }

    /// Encodes the service's JSON, without empty members.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.object(members).encode(to: encoder)
    }
}

extension Installation.Template: Codable {
    /// Decodes the service's JSON.
    public init(from decoder: any Decoder) throws {
        self = try decoder.reading { json throws(HubValidationError) in try Installation.Template(json) }
    }

    /// Encodes the service's JSON, without empty members.
    public func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }
}

extension Decoder {
    fileprivate func reading<Value>(
        _ read: (JSONValue) throws(HubValidationError) -> Value
    ) throws -> Value {
        let json = try JSONValue(from: self, expecting: .object)
        do {
            return try read(json)
        } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: error.description))
        }
    }
}

extension JSONMemberReader.Member {
    func tags() throws(HubValidationError) -> [NotificationHub.Tag] {
        try array { element throws(HubValidationError) in
            if case .null = element.value { nil } else { NotificationHub.Tag(unchecked: try element.text()) }
        }
    }

    func templates() throws(HubValidationError) -> [Installation.Template.Name: Installation.Template] {
        try dictionary(by: Installation.Template.Name.init(unchecked:)) { member throws(HubValidationError) in
            try member.read(Installation.Template.init)
        }
    }
}
