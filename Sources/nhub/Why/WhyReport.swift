import HubCommandLine
import NotificationHubs

/// The answer of `nhub why`: the cause, the other causes, and the devices. It contains no handles.
struct WhyReport {
    let situation: WhySituation
    let diagnosis: WhyDiagnosis

    init(_ situation: WhySituation) {
        self.situation = situation
        diagnosis = WhyDiagnosis(situation)
    }

    /// Writes the answer.
    ///
    /// - Returns: `failure` if there is a cause.
    func write(asJSON: Bool) throws(Console.WriteError) -> ExitStatus {
        if asJSON {
            try Console.result(object)
        } else {
            try Console.result([diagnosis.summary(of: situation)])
            try fields.write(asJSON: false)
        }
        return diagnosis.causes.isEmpty ? .success : .failure
    }

    private var question: WhyQuestion { situation.question }

    private var fields: Fields {
        var fields = Fields()
        for cause in diagnosis.causes.dropFirst() { fields.addLine("also", "\(cause)") }
        let target = [question.option.description, question.value].filter { !$0.isEmpty }.joined(separator: " ")
        fields.addLine("target", target)
        if let format = question.format { fields.addLine("format", format.name) }
        fields.addLine(
            "devices", "\(situation.matches.count) in the target, \(situation.recipients.count) would receive it")
        if let outcome = situation.outcome { fields.addLine("outcome", "\(outcome)") }
        for device in situation.matches.prefix(100) { fields.addLine("device", line(device)) }
        if situation.matches.count > 100 {
            fields.addLine("device", "and \(situation.matches.count - 100) more (see --json)")
        }
        for note in situation.allNotes { fields.addLine("note", note) }
        return fields
    }

    private func line(_ device: WhyDevice) -> String {
        var parts = [device.id, device.platform.format, status(device)]
        if !device.tags.isEmpty {
            let tags = device.tags.sorted().map { NotificationHub.Tag(unchecked: $0).listText }
            parts.append("tags \(tags.joined(separator: ","))")
        }
        for (name, preview) in situation.previews(of: device) {
            parts.append((name.isEmpty ? "template" : "template \(name)") + ": \(text(preview))")
        }
        if let time = situation.deliveries[device.id] { parts.append("last delivery \(time)") }
        return parts.joined(separator: "  ")
    }

    private func status(_ device: WhyDevice) -> String {
        switch device.expiry {
        case .channel?: return "expired"
        case .time?: return "expired"
        case nil: break
        }
        if !device.parts(of: question.expression, receiving: question.format).isEmpty { return "receives it" }
        return question.format == .template ? "has no template" : "is on another platform"
    }

    private func text(_ preview: TemplatePreview) -> String {
        switch preview {
        case .filled(let body, _): body
        case .tooLong: "too long"
        case .invalid(let reason): "invalid: \(reason)"
        }
    }

    private var object: JSONOutput {
        var object = JSONOutput()
        object.add("summary", diagnosis.summary(of: situation))
        object.add(
            "causes",
            diagnosis.causes.map { cause in
                var object = JSONOutput()
                object.add("code", cause.code)
                object.add("message", "\(cause)")
                return object
            })
        object.add("option", question.option.description)
        if !question.value.isEmpty { object.add("value", question.value) }
        if let format = question.format { object.add("format", format.name) }
        object.add("matchCount", Int64(situation.matches.count))
        object.add("recipientCount", Int64(situation.recipients.count))
        object.add("devices", situation.matches.map(json))
        if let outcome = situation.outcome { object.add("outcome", "\(outcome)") }
        object.add("notes", situation.allNotes)
        return object
    }

    private func json(_ device: WhyDevice) -> JSONOutput {
        var object = JSONOutput()
        object.add(device.isInstallation ? "installationId" : "registrationId", device.id)
        object.add("platform", device.platform.format)
        object.add("status", status(device))
        object.add("tags", device.tags.sorted())
        object.add("users", device.users.sorted())
        object.add(
            "templates",
            situation.previews(of: device).map { name, preview in
                var object = JSONOutput()
                object.add("name", name)
                object.add("text", text(preview))
                if case .filled(_, let names) = preview { object.add("missing", names) }
                return object
            })
        if let time = situation.deliveries[device.id] { object.add("lastDelivery", time) }
        return object
    }
}
