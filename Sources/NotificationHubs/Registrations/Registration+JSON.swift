import HubText

/// The JSON of a registration in files of `nhub`. The service itself uses XML.
///
/// It has the members of an installation's JSON where the meaning is the same. An entry also has `registrationId`, and
/// `expirationTime` and `entityTag`, which the hub sets and an import ignores.
extension Registration {
    /// Creates a registration from JSON.
    ///
    /// - Throws: ``HubValidationError`` if a member is missing, unknown, or has the wrong type.
    package init(json: JSONValue) throws(HubValidationError) {
        var reader = try JSONMemberReader(json)
        let platform = PushPlatform(rawValue: try reader.required("platform").text())
        self.init(
            pushChannel: try reader.required("pushChannel").read { json throws(HubValidationError) in
                try PushChannel(platform: platform, json)
            })
        tags = try reader.optional("tags")?.tags() ?? []
        pushVariables = try reader.optional("pushVariables")?.texts() ?? [:]
        secondaryTileName = try reader.optional("secondaryTileName")?.text()
        template = try reader.optional("template")?.read(Template.init(json:))
        for name in ["registrationId", "expirationTime", "entityTag"] { _ = reader.optional(name) }
        try reader.rejectRest()
    }

    fileprivate var members: JSONObject {
        var members = JSONObject()
        members["platform"] = .string(pushChannel.platform.rawValue)
        members["pushChannel"] = pushChannel.json
        members["tags"] = .tags(tags)
        members["pushVariables"] = .texts(pushVariables)
        members["secondaryTileName"] = secondaryTileName.map { .string($0) }
        members["template"] = template.map { .object($0.members) }
        return members
    }
}

extension Registration.Entry {
    /// The entry as JSON, without empty members.
    package var json: JSONValue {
        var members = registration.members
        members["registrationId"] = .string(id.rawValue)
        members["entityTag"] = entityTag.map { .string($0.rawValue) }
        members["expirationTime"] = expirationTime.flatMap { Timestamp($0) }.map { .string($0.text) }
        return .object(members)
    }
}

extension Registration.Template {
    fileprivate init(json: JSONValue) throws(HubValidationError) {
        var reader = try JSONMemberReader(json)
        self.init(body: try reader.required("body").text())
        if let member = reader.optional("name") { name = Name(unchecked: try member.text()) }
        headers = try reader.optional("headers")?.texts() ?? [:]
        if let member = reader.optional("expiry") { expiry = Expiry.expression(try member.text()) }
        priority = try reader.optional("priority")?.text()
        if let member = reader.optional("messageType") {
            guard case .number(let number) = member.value, let type = Int(number.text) else {
                throw member.error("expected an integer")
            }
            messageType = type
        }
        try reader.rejectRest()
    }

    fileprivate var members: JSONObject {
        var members: JSONObject = ["body": .string(body)]
        members["name"] = name.map { .string($0.rawValue) }
        members["headers"] = .texts(headers)
        members["expiry"] = expiry.map { .string($0.rawValue) }
        members["priority"] = priority.map { .string($0) }
        members["messageType"] = messageType.map { .number(JSONNumber($0)) }
        return members
    }
}

extension JSONMemberReader {
    /// Throws if members remain, which would be lost.
    fileprivate func rejectRest() throws(HubValidationError) {
        guard let name = rest.names.first else { return }
        throw HubValidationError(.invalidJSON, "unknown member", path: name.escapedForDisplay)
    }
}
