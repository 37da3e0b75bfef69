import HubText

extension Registration {
    /// Makes sure that the registration may be sent.
    ///
    /// - Throws: ``HubValidationError`` for what the service would not take, and for what it has no element for.
    package func check() throws(HubValidationError) {
        let platform = pushChannel.platform
        try pushChannel.check()
        guard let kind = platform.row?.registrations.first else {
            throw HubValidationError(
                .invalidPlatform, "the platform \(platform.rawValue.shown) has no registrations: use an installation")
        }
        try Installation.checkTags(tags)
        if let secondaryTileName {
            guard kind.channel.contains(.secondaryTileName), !secondaryTileName.isEmpty else {
                throw HubValidationError(
                    .invalidSecondaryTile, "a secondary tile needs a name and a channel of Windows or Windows Phone")
            }
        }
        try template?.check(for: platform, kind)
    }
}

extension Registration.Template {
    func check(for platform: PushPlatform, _ kind: Registration.Kind) throws(HubValidationError) {
        if let name { try name.check() }
        if let problem = problem(for: platform, kind) {
            throw HubValidationError(.invalidTemplate, "the template\(problem)")
        }
    }

    private func problem(for platform: PushPlatform, _ kind: Registration.Kind) -> String? {
        if body.utf8.allSatisfy({ $0 == 0x20 || (0x09...0x0d).contains($0) }) { return " has no body" }
        let values: [(String, isGiven: Bool, Registration.Element)] = [
            ("expiry", expiry != nil, .expiry), ("priority", priority != nil, .priority),
            ("message type", messageType != nil, .messageType),
        ]
        for (what, isGiven, element) in values where isGiven && !kind.template.contains(element) {
            return " has a \(what), for which \(platform) has no element"
        }
        if let expiry, expiry.rawValue.isEmpty { return "'s expiry is empty: it is a date or an expression" }
        if let priority, !Self.isExpression(priority), UInt8(priority) == nil {
            return "'s priority is neither a number up to 255 nor an expression"
        }
        return problemOfHeaders(for: platform, kind)
    }

    private func problemOfHeaders(for platform: PushPlatform, _ kind: Registration.Kind) -> String? {
        var seen: Set<[UInt8]> = []
        for (name, value) in headers {
            guard HubHeaders.isName(name), HubHeaders.isValue(value), value.utf8.contains(where: { $0 > 0x20 }) else {
                return ": \(name.shown) is no header's name, or its value is empty or has a control character"
            }
            guard seen.insert(name.utf8.asciiLowercased).inserted else {
                return " has the header \(name.shown) twice, which is one in any case"
            }
        }
        func value(_ name: String) -> String? {
            headers.first { $0.key.utf8.isEqual(ignoringCase: name) }?.value
        }
        if kind.template.contains(.wnsHeaders), value("x-wns-type") == nil { return " needs the header X-WNS-Type" }
        if kind.template.contains(.mpnsHeaders), value("x-notificationclass") == nil {
            return " needs the header X-NotificationClass"
        }
        if kind.template.contains(.apnsHeaders) {
            if let stranger = seen.first(where: { !$0.starts(with: "apns-".utf8) }) {
                return " has the header \(stranger.shown), and Apple's begin with apns-"
            }
            if let priority = value("apns-priority"), !Self.isExpression(priority), UInt8(priority) == nil {
                return "'s apns-priority is neither a number up to 255 nor an expression"
            }
            if let expiration = value("apns-expiration"), !Self.isExpression(expiration), Int32(expiration) == nil {
                return "'s apns-expiration is neither seconds since 1970, in 32 bits, nor an expression"
            }
        }
        let hasHeaders = kind.template.contains { [.apnsHeaders, .wnsHeaders, .mpnsHeaders].contains($0) }
        return headers.isEmpty || hasHeaders ? nil : " has headers, for which \(platform) has no element"
    }

    /// Whether a text is for the service to evaluate (Templates, "Template expression language").
    private static func isExpression(_ text: String) -> Bool {
        text.utf8.first.map { "$#.%{".utf8.contains($0) } ?? false
    }
}

extension [UInt8] {
    fileprivate var shown: String { String(decoding: self, as: UTF8.self).shown }
}
