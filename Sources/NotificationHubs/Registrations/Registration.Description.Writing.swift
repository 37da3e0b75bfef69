import HubText

extension Registration.Description {
    /// The description by the name of its kind, its elements in the order of the service's contract; what is empty is left out.
    ///
    /// - Throws: ``NotificationHub/InvalidName`` for a platform that the service has no registrations of.
    package var xml: XMLElement {
        get throws(NotificationHub.InvalidName) {
            guard let kind = Registration.Kind.of(registration.pushChannel.platform) else {
                throw NotificationHub.InvalidName(
                    description: "there are no registrations of the platform \(registration.pushChannel.platform)")
            }
            let isTemplate = registration.template != nil
            return XMLElement(
                name: kind.name(isTemplate: isTemplate),
                children: kind.elements(isTemplate: isTemplate).compactMap { element(for: $0) })
        }
    }

    private func element(for element: Registration.Element) -> XMLElement? {
        let template = registration.template
        switch element {
        case .apnsHeaders, .wnsHeaders, .mpnsHeaders: return template?.headerElement(element.rawValue)
        default: break
        }
        guard let text = text(for: element), !text.isEmpty else { return nil }
        return XMLElement(name: element.rawValue, text: text, writesSections: element == .bodyTemplate)
    }

    private func text(for element: Registration.Element) -> String? {
        let channel = registration.pushChannel
        let template = registration.template
        switch element {
        case .entityTag: return entityTag?.text
        case .expirationTime: return expirationTime.flatMap { Timestamp($0)?.text }
        case .registrationID: return id?.text
        case .tags: return registration.tags.map(\.text).joined(separator: ",")
        case .pushVariables: return NotificationHub.JSONValue.texts(registration.pushVariables)?.text
        case .baiduUserID: return channel.baiduIDs.user
        case .baiduChannelID: return channel.baiduIDs.channel
        case .p256dh: return channel.browserSubscription?.p256dh
        case .auth: return channel.browserSubscription?.auth
        case .secondaryTileName: return registration.secondaryTileName
        case .bodyTemplate: return template?.body
        case .expiry: return template?.expiry?.text
        case .templateName: return template?.name?.text
        case .priority: return template?.priority
        case .messageType: return template?.messageType.map { "\($0)" }
        default: return channel.handle
        }
    }
}

extension Registration.Template {
    fileprivate func headerElement(_ name: String) -> XMLElement? {
        if headers.isEmpty { return nil }
        let sorted = headers.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return XMLElement(
            name: name,
            children: sorted.map { header, value in
                XMLElement(
                    name: String(name.dropLast()),
                    children: [XMLElement(name: "Header", text: header), XMLElement(name: "Value", text: value)])
            })
    }
}

extension PushChannel {
    /// The two ids that the service joins by a hyphen.
    fileprivate var baiduIDs: (user: String, channel: String) {
        let parts = handle.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1).map {
            String(decoding: $0, as: UTF8.self)
        }
        return (parts.first ?? "", parts.dropFirst().first ?? "")
    }
}
