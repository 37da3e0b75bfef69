import HubText

extension Registration {
    /// Checks that the registration can be sent.
    ///
    /// - Parameter enforcesLimits: Whether the limits of tags hold: see ``Installation/checked(enforcesLimits:)``.
    /// - Throws: ``HubValidationError`` if the service would reject it, or if its platform does not support it.
    package func check(enforcesLimits: Bool = true) throws(HubValidationError) {
        let platform = pushChannel.platform
        try pushChannel.check()
        guard let kind = platform.row?.registrations.first else {
            throw HubValidationError(
                .invalidPlatform,
                "the platform \(platform.rawValue.quotedForDisplay) does not support registrations: use an installation"
            )
        }
        if enforcesLimits { try checkTags() }
        if let secondaryTileName {
            guard kind.channel.contains(.secondaryTileName), !secondaryTileName.isEmpty else {
                throw HubValidationError(
                    .invalidSecondaryTile, "a secondary tile must have a name and a Windows or Windows Phone channel")
            }
        }
        try template?.check(for: platform, kind)
    }
}

extension Registration {
    /// The first documented limit that the registration exceeds, or another reason not to send it.
    package var exceededLimit: HubValidationError? {
        do {
            try check()
            return nil
        } catch {
            return error
        }
    }

    /// Checks the tags, which can include those that the service adds to the registrations of installations.
    private func checkTags() throws(HubValidationError) {
        try Installation.checkTags(tags.filter { $0.serviceName == nil })
        for name in NotificationHub.Tag.serviceNames where tags.count(where: { $0.serviceName == name }) > 1 {
            throw HubValidationError(.invalidTag, "more than one tag of the form \(name){…}", path: "tags")
        }
    }
}

extension Registration.Template {
    func check(for platform: PushPlatform, _ kind: Registration.Kind) throws(HubValidationError) {
        if let name { try name.check() }
        if let problem = problem(for: platform, kind) {
            throw HubValidationError(.invalidTemplate, "invalid template: \(problem)")
        }
    }

    private func problem(for platform: PushPlatform, _ kind: Registration.Kind) -> String? {
        if body.utf8.allSatisfy(\.isASCIIWhitespace) { return "the body must not be empty" }
        let values: [(String, isGiven: Bool, Registration.Element)] = [
            ("expiry", expiry != nil, .expiry), ("priority", priority != nil, .priority),
            ("message type", messageType != nil, .messageType),
        ]
        for (name, isGiven, element) in values where isGiven && !kind.template.contains(element) {
            return "\(platform) does not support \(name)"
        }
        if let expiry, expiry.rawValue.isEmpty { return "expiry must be a date or an expression" }
        if let priority, !Self.isExpression(priority), UInt8(priority) == nil {
            return "priority must be a number from 0 to 255 or an expression"
        }
        return headerProblem(for: platform, kind)
    }

    private func headerProblem(for platform: PushPlatform, _ kind: Registration.Kind) -> String? {
        var seen: Set<[UInt8]> = []
        for (name, value) in headers {
            guard HTTPFields.isName(name), HTTPFields.isValue(value), value.utf8.contains(where: { $0 > 0x20 }) else {
                return "header \(name.quotedForDisplay): invalid name, or an empty or invalid value"
            }
            guard seen.insert(name.utf8.asciiLowercased).inserted else {
                return "duplicate header \(name.quotedForDisplay): names are case-insensitive"
            }
        }
        func value(_ name: String) -> String? {
            headers.first { $0.key.utf8.isEqual(ignoringCase: name) }?.value
        }
        if kind.template.contains(.wnsHeaders), value("x-wns-type") == nil { return "missing header X-WNS-Type" }
        if kind.template.contains(.mpnsHeaders), value("x-notificationclass") == nil {
            return "missing header X-NotificationClass"
        }
        if kind.template.contains(.apnsHeaders) {
            if let unsupported = seen.first(where: { !$0.starts(with: "apns-".utf8) }) {
                return "unsupported header \(unsupported.quotedForDisplay): headers for Apple must begin with apns-"
            }
            if let priority = value("apns-priority"), !Self.isExpression(priority), UInt8(priority) == nil {
                return "apns-priority must be a number from 0 to 255 or an expression"
            }
            if let expiration = value("apns-expiration"), !Self.isExpression(expiration), Int32(expiration) == nil {
                return "apns-expiration must be seconds since 1970 (at most \(Int32.max)) or an expression"
            }
        }
        let hasHeaders = kind.template.contains { [.apnsHeaders, .wnsHeaders, .mpnsHeaders].contains($0) }
        return headers.isEmpty || hasHeaders ? nil : "\(platform) does not support headers"
    }

    /// Returns whether the service evaluates a value as an expression ("Templates", "Template expression language").
    private static func isExpression(_ text: String) -> Bool {
        text.utf8.first.map { "$#.%{".utf8.contains($0) } ?? false
    }
}

extension [UInt8] {
    fileprivate var quotedForDisplay: String { String(decoding: self, as: UTF8.self).quotedForDisplay }
}
