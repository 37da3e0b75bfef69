import HubCommandLine
import NotificationHubs

/// The problems of the templates that an import puts, each with the number of its devices.
struct TemplateWarnings {
    private struct Source: Hashable {
        let platform: PushPlatform
        let name: String
        let template: Installation.Template
    }

    /// The problems of each template. Most devices share a few of them.
    private var problems: [Source: [PlatformProblem]] = [:]
    private var counts: [String: Int] = [:]

    /// The number of different templates whose problems are kept, and of different warnings.
    private static let maximumCount = 1000

    /// Checks a device's templates.
    mutating func add(_ device: ImportLine.Device) {
        switch device {
        case .installation(let installation):
            for (name, template) in installation.templates {
                add(template, "template \(name)", on: installation.pushChannel.platform)
            }
        case .registration(let registration, _):
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
            let text = "\(name): \(problem.summary)"
            if counts[text] != nil || counts.count < Self.maximumCount { counts[text, default: 0] += 1 }
        }
    }

    /// Prints the warnings to standard error, those of most devices first.
    func report() {
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        for (text, count) in sorted.prefix(20) {
            Console.error("nhub: warning: \(count) \(count == 1 ? "device" : "devices"): \(text)")
        }
        if sorted.count > 20 { Console.error("nhub: warning: \(sorted.count - 20) more problems of templates") }
    }
}
