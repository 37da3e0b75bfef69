import NotificationHubs

/// The problems of the devices that an import puts: of their templates, and limits that they exceed.
struct ImportWarnings {
    private struct Source: Hashable {
        let platform: PushPlatform
        let name: String
        let template: Installation.Template
    }

    /// The problems of each template. Most devices share a few of them.
    private var problems: [Source: [PlatformProblem]] = [:]
    private var counts = WarningCounts()

    /// The number of different templates whose problems are kept.
    private static let maximumCount = 1000

    /// Checks a device.
    mutating func add(_ device: ImportLine.Device) {
        switch device {
        case .installation(let installation):
            installation.warnings.forEach { counts.add($0) }
            for (name, template) in installation.templates {
                add(template, "template \(name)", on: installation.pushChannel.platform)
            }
        case .registration(let registration, _):
            registration.warnings.forEach { counts.add($0) }
            guard let template = registration.template else { return }
            add(
                template.content, template.name.map { "template \($0)" } ?? "template",
                on: registration.pushChannel.platform)
        }
    }

    private mutating func add(_ template: Installation.Template, _ name: String, on platform: PushPlatform) {
        let source = Source(platform: platform, name: name, template: template)
        let found = problems[source] ?? template.problems(on: platform)
        if problems.count < Self.maximumCount { problems[source] = found }
        for problem in found {
            counts.add("\(name): \(problem.summary)")
        }
    }

    /// Prints the warnings to standard error, those of most devices first.
    func report() { counts.report() }
}
