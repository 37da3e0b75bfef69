extension Installation.Template {
    /// Returns the parts of the template's notifications that the platform will refuse or ignore.
    ///
    /// ```swift
    /// let problems = template.problems(on: .fcmV1)
    /// ```
    ///
    /// Without a message, the template is filled with samples: check it before it is stored. With a message, it is filled with the
    /// message's values, and properties that only one of the two has are also problems: check it before the message is sent.
    ///
    /// - Parameters:
    ///   - platform: The device's platform.
    ///   - message: A template message, whose headers also apply.
    ///   - pushVariables: The device's values for names that the message lacks.
    public func problems(
        on platform: PushPlatform, message: PushNotification? = nil, pushVariables: [String: String] = [:]
    ) -> [PlatformProblem] {
        let check = TemplateCheck(self, on: platform, message: message, pushVariables: pushVariables)
        guard let message else { return check.problems }
        let unused = PlatformProblem.unused(message.templateValues, by: check.names, on: platform)
        return check.problems + unused
    }
}

extension TemplateCheck {
    /// Checks an installation's template.
    ///
    /// - Parameter message: The template message; `nil` to fill the template with samples.
    package init(
        _ template: Installation.Template, on platform: PushPlatform, message: PushNotification? = nil,
        pushVariables: [String: String] = [:]
    ) {
        self.init(
            template.body, headers: template.headers, on: platform, values: message?.templateValues,
            messageHeaders: message?.headers(for: platform) ?? [:], pushVariables: pushVariables)
    }
}

extension PlatformProblem {
    /// Returns a warning for each of a message's values that no template uses.
    package static func unused(
        _ values: [String: String], by names: Set<String>, on platform: PushPlatform
    ) -> [PlatformProblem] {
        var problems = PlatformProblems(platform)
        for name in values.keys.sorted() where !names.contains(name.lowercased()) {
            problems.warn(name.escapedForDisplay, "no template uses the property", "rename or remove it")
        }
        return problems.all
    }
}

extension Installation {
    /// Returns the problems of the installation's templates, by the template's name, without those that have none.
    ///
    /// - Parameter message: A template message, as in ``Template/problems(on:message:pushVariables:)``.
    public func templateProblems(for message: PushNotification? = nil) -> [Template.Name: [PlatformProblem]] {
        templates.mapValues {
            $0.problems(on: pushChannel.platform, message: message, pushVariables: pushVariables)
        }.filter { !$0.value.isEmpty }
    }
}

extension Registration {
    /// Returns the problems of the registration's template, as ``Installation/Template/problems(on:message:pushVariables:)``.
    public func templateProblems(for message: PushNotification? = nil) -> [PlatformProblem] {
        template?.content.problems(on: pushChannel.platform, message: message, pushVariables: pushVariables) ?? []
    }
}

extension Registration.Template {
    /// The template as that of an installation.
    package var content: Installation.Template {
        var content = Installation.Template(body: body, headers: headers, expiry: expiry)
        if let priority { content.headers["apns-priority"] = priority }
        return content
    }
}
