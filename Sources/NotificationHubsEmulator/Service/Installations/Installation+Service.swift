import HubText
import NotificationHubs

extension Installation {
    /// The installation, if the service takes it.
    ///
    /// - Parameters:
    ///   - trustsTags: whether tags are taken as they are, as in a PATCH; if there are not too many.
    ///   - misread: is told each template that has `$(` where nothing is filled.
    func checkedByService(
        trustsTags: Bool = false, misread: (_ template: String) -> Void
    ) throws(ServiceRefusal) -> Installation {
        let platform = pushChannel.platform
        // Seen on the service, though an error of the client's.
        if platform == PushPlatform(rawValue: "fcm") {
            throw ServiceRefusal(500, "The server was unable to process the request; there is no platform fcm")
        }
        guard platform.row != nil else { throw .badRequest("'platform' is none that the service knows") }
        let checked: Installation
        do {
            checked = try (trustsTags ? withoutTags : self).checked()
        } catch {
            throw .badRequest("\(error)")
        }
        guard tags.count <= Installation.maximumTagCount else {
            throw .badRequest("\(tags.count) tags are too many: \(Installation.maximumTagCount) are allowed")
        }
        for (name, template) in templates {
            if try template.checkByService("\(name)", of: self, tags: tags) { misread("\(name)") }
        }
        for (id, tile) in secondaryTiles {
            guard platform == .windows else { throw .badRequest("'secondaryTiles' is for the platform wns alone") }
            for (name, template) in tile.templates {
                if try template.checkByService("\(id)/\(name)", of: self, tags: tile.tags) { misread("\(id)/\(name)") }
            }
        }
        return trustsTags ? self : checked
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

    /// The installation as the service keeps it: a template without tags has its name as one, and what does not end ends in
    /// the year 9999.
    func completed() -> Installation {
        var completed = self
        completed.pushChannel = pushChannel.stored
        completed.templates = templates.taggedByNames
        for (id, tile) in secondaryTiles {
            completed.secondaryTiles[id]?.templates = tile.templates.taggedByNames
            completed.secondaryTiles[id]?.isPushChannelExpired = nil
        }
        completed.isPushChannelExpired = false
        completed.expirationTime = expirationTime ?? ServiceTime.never
        return completed
    }

    /// The installation as the service writes it, its members in the service's order.
    var serviceJSON: [UInt8] {
        guard case .object(var members)? = try? JSONValue(parsing: json) else { return json }
        if expirationTime == ServiceTime.never { members["expirationTime"] = .string(ServiceTime.neverText) }
        let order = [
            "installationId", "pushChannel", "pushChannelExpired", "platform", "expirationTime", "tags",
            "pushVariables",
            "templates", "secondaryTiles",
        ]
        let last = ["userId"]
        let others = members.members.map(\.name).filter { name in !(order + last).contains(name) }
        let fields = (order + others + last).compactMap { name -> [UInt8]? in
            members[name].map { JSONValue.string(name).bytes + [UInt8(ascii: ":")] + $0.bytes }
        }
        return [UInt8(ascii: "{")] + fields.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
    }
}

extension [Installation.Template.Name: Installation.Template] {
    fileprivate var taggedByNames: Self {
        var templates = self
        for (name, template) in self where template.tags.isEmpty {
            templates[name]?.tags = [NotificationHub.Tag(unchecked: name.rawValue)]
        }
        return templates
    }
}

extension Installation.Template {
    /// Makes sure that the service takes a template.
    ///
    /// - Parameters:
    ///   - name: what it is called.
    ///   - others: the tags that its registration has besides its own.
    /// - Returns: whether it has `$(` where nothing is filled.
    fileprivate func checkByService(
        _ name: String, of installation: Installation, tags others: [NotificationHub.Tag]
    ) throws(ServiceRefusal) -> Bool {
        let platform = installation.pushChannel.platform
        let what = "the template \(name)"
        guard Set(tags + others).count <= Installation.maximumTagCount else {
            throw .badRequest("\(what) has more than \(Installation.maximumTagCount) tags with the installation's")
        }
        let isMisread: Bool
        do {
            isMisread = try MessageTemplate(body, .init(platform, headers: headers)).hasStandingExpression
            if platform == .fcmV1, !MessageBody.isWrapped(body.utf8) {
                throw TemplateExpression.Invalid(reason: "its body is not wrapped: {\"message\":{…}}")
            }
            for value in headers.values { _ = try TemplateExpression(value: value) }
            if let expiry {
                let isExpression = try TemplateExpression(value: expiry.rawValue) != nil
                guard isExpression || Timestamp(expiry.rawValue) != nil else {
                    throw TemplateExpression.Invalid(reason: "its expiry is neither a date nor an expression")
                }
            }
        } catch {
            throw .badRequest("\(what) is not valid: \((error as? TemplateExpression.Invalid)?.reason ?? "")")
        }
        if platform == .windows, !headers.keys.contains(where: { $0.lowercased() == "x-wns-type" }) {
            throw .badRequest("\(what) needs the header X-WNS-Type")
        }
        if platform == .apple, let other = headers.keys.first(where: { !$0.lowercased().hasPrefix("apns-") }) {
            throw .badRequest("\(what) has the header \(other): those for Apple begin with apns-")
        }
        return isMisread
    }
}
