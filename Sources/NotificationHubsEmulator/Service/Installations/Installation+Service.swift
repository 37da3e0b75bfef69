import HubText
import NotificationHubs

extension Installation {
    /// The rules for tags that apply to an installation.
    enum TagRules {
        /// All rules, as in a PUT. The checked installation is in normal form.
        case all
        /// The limit on their number, as in a PATCH.
        case number
        /// None, for an installation that another hub holds: hubs contain installations with more tags than documented.
        case none
    }

    /// Validates the installation as the service does.
    func checkedByService(_ rules: TagRules = .all) throws(ServiceError) -> Installation {
        let platform = pushChannel.platform
        // The service was observed to send 500 for this client error.
        if platform == PushPlatform(rawValue: "fcm") {
            throw ServiceError(
                500, "the server was unable to process the request: unknown platform \"fcm\" (use fcmV1 or gcm)")
        }
        guard platform.row != nil else {
            let known = PlatformTable.all.map(\.platform.rawValue).joined(separator: ", ")
            throw .badRequest("unknown platform \"\(platform.rawValue)\" (allowed: \(known))")
        }
        try checkForXML()
        let checked: Installation
        do {
            checked = try (rules == .all ? self : withoutTags).checked()
        } catch {
            throw .badRequest("\(error)")
        }
        guard rules == .none || tags.count <= Installation.maximumTagCount else {
            throw .badRequest("too many tags: \(tags.count) (allowed: at most \(Installation.maximumTagCount))")
        }
        for (name, template) in templates.untaggedByNames {
            try template.checkByService("\(name)", of: self, tags: tags, rules)
        }
        for (id, tile) in secondaryTiles {
            guard platform == .windows else { throw .badRequest("secondaryTiles requires the platform wns") }
            for (name, template) in tile.templates.untaggedByNames {
                try template.checkByService("\(id)/\(name)", of: self, tags: tile.tags, rules)
            }
        }
        return rules == .all ? checked : self
    }

    /// Checks that XML can represent the installation's registrations, because others are listed with them.
    private func checkForXML() throws(ServiceError) {
        var texts = pushChannel.parts.map { ("pushChannel", $0) } + tags.map { ("tags", $0.rawValue) }
        texts.append(("pushVariables", JSONValue.object(JSONObject(pushVariables)).bytes.lossyText))
        func add(_ templates: [Template.Name: Template]) {
            for (name, template) in templates {
                texts += [
                    ("templates", name.rawValue), ("body", template.body), ("expiry", template.expiry?.rawValue ?? ""),
                ]
                texts += template.headers.flatMap { [("headers", $0), ("headers", $1)] }
                texts += template.tags.map { ("tags", $0.rawValue) }
            }
        }
        add(templates)
        for (name, tile) in secondaryTiles {
            texts +=
                [("secondaryTiles", name), ("pushChannel", tile.pushChannel)] + tile.tags.map { ("tags", $0.rawValue) }
            add(tile.templates)
        }
        if let (member, _) = texts.first(where: { XMLText.firstForbiddenIndex(in: $1) != nil }) {
            throw .badRequest("\(member) contains a character that XML does not allow")
        }
    }

    private var withoutTags: Installation {
        var installation = self
        installation.tags = []
        for name in templates.keys { installation.templates[name]?.tags = [] }
        for (id, tile) in secondaryTiles {
            installation.secondaryTiles[id]?.tags = []
            for name in tile.templates.keys { installation.secondaryTiles[id]?.templates[name]?.tags = [] }
        }
        return installation
    }

    /// Returns the installation with the service's defaults.
    ///
    /// A template without tags gets its name as a tag, and no channel is marked as expired.
    func completed() -> Installation {
        var completed = self
        completed.pushChannel = pushChannel.stored
        completed.templates = templates.taggedByNames
        for (id, tile) in secondaryTiles {
            completed.secondaryTiles[id]?.templates = tile.templates.taggedByNames
            completed.secondaryTiles[id]?.isPushChannelExpired = nil
        }
        completed.isPushChannelExpired = false
        return completed
    }

    /// Returns whether two installations are equal, including the bytes of their channels' JSON.
    func isIdentical(to other: Installation) -> Bool {
        self == other && pushChannel.sourceJSON == other.pushChannel.sourceJSON
    }

    /// The installation's JSON, with its members in the service's order.
    var serviceJSON: [UInt8] {
        guard case .object(var members)? = try? JSONValue(parsing: json) else { return json }
        if expirationTime == nil { members["expirationTime"] = .string(ServiceTime.neverText) }
        let order = [
            "installationId", "pushChannel", "pushChannelExpired", "platform", "expirationTime", "tags",
            "pushVariables",
            "templates", "secondaryTiles",
        ]
        let last = ["userId"]
        let others = members.members.map(\.name).filter { name in !(order + last).contains(name) }
        let fields = (order + others + last).compactMap { name -> [UInt8]? in
            members[name].map { value in
                let bytes = name == "pushChannel" ? pushChannel.sourceJSON : nil
                return JSONValue.string(name).bytes + [UInt8(ascii: ":")] + (bytes ?? value.bytes)
            }
        }
        return [UInt8(ascii: "{")] + fields.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
    }
}

extension [Installation.Template.Name: Installation.Template] {
    /// The templates, with the name as the tag of each template without tags.
    fileprivate var taggedByNames: Self {
        var templates = self
        for (name, template) in self where template.tags.isEmpty {
            templates[name]?.tags = [NotificationHub.Tag(unchecked: name.rawValue)]
        }
        return templates
    }

    /// The templates, without the tags that ``taggedByNames`` adds, which do not count toward the limit.
    fileprivate var untaggedByNames: Self {
        var templates = self
        for (name, template) in self where template.tags.map(\.rawValue) == [name.rawValue] {
            templates[name]?.tags = []
        }
        return templates
    }
}

extension Installation.Template {
    /// Checks that the service accepts a template.
    ///
    /// - Parameters:
    ///   - name: The template's name, for error messages.
    ///   - installation: The template's installation.
    ///   - others: The other tags of the template's registration.
    fileprivate func checkByService(
        _ name: String, of installation: Installation, tags others: [NotificationHub.Tag],
        _ rules: Installation.TagRules
    ) throws(ServiceError) {
        let platform = installation.pushChannel.platform
        guard rules == .none || Set(tags + others).count <= Installation.maximumTagCount else {
            throw .badRequest(
                "template \(name): more than \(Installation.maximumTagCount) tags together with the installation's tags"
            )
        }
        var hasValidExpiry = true
        do throws(TemplateExpression.ParseError) {
            _ = try MessageTemplate(body, .init(platform, headers: headers, body: body))
            for value in headers.values { _ = try TemplateExpression(value: value) }
            if let text = expiry?.rawValue {
                hasValidExpiry = try TemplateExpression(value: text) != nil || Timestamp(text) != nil
            }
        } catch {
            throw .badRequest("template \(name): \(error.reason)")
        }
        guard hasValidExpiry else { throw .badRequest("template \(name): expiry must be a date or an expression") }
        if platform == .windows, !headers.keys.contains(where: { $0.lowercased() == "x-wns-type" }) {
            throw .badRequest("template \(name): missing header X-WNS-Type")
        }
        if platform == .apple, let other = headers.keys.first(where: { !$0.lowercased().hasPrefix("apns-") }) {
            throw .badRequest(
                "template \(name): invalid header \(other) (allowed for apns: names that start with apns-)")
        }
    }
}
