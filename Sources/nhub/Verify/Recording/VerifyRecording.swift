import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator

/// The exchanges of a run, without anything that identifies the hub, as a JSON document.
///
/// `Fixtures/recorded-hubs/README.md` documents the format.
struct VerifyRecording: Hashable, Sendable {
    /// The properties of the hub, as far as the run shows them.
    struct Head: Hashable, Sendable {
        /// The day of the run, such as `2026-11-28`.
        var date: String
        /// `hub`, or `emulator` for a recording of the emulator itself.
        var origin: String
        var tier: HubEmulator.Tier
        var profile: HubEmulator.Profile
        var region: String?
        /// The scheme of the endpoint, which responses repeat.
        var scheme: String
        var rights: Set<VerifyStep.Right>
    }

    /// The exchanges of one step.
    struct Step: Hashable, Sendable {
        let name: String
        let exchanges: [Exchange]
    }

    var head: Head
    var steps: [Step]

    private static let format = 1

    /// The document.
    var bytes: [UInt8] {
        var object = JSONOutput()
        object.add("format", Int64(Self.format))
        object.add("date", head.date)
        object.add("origin", head.origin)
        object.add("tier", head.tier.rawValue)
        object.add("profile", head.profile.rawValue)
        if let region = head.region { object.add("region", region) }
        object.add("scheme", head.scheme)
        object.add("rights", head.rights.map(\.rawValue).sorted())
        let lines = steps.map { step in
            var object = JSONOutput()
            object.add("step", step.name)
            object.add("exchanges", step.exchanges.map(\.json))
            return String(decoding: object.bytes, as: UTF8.self)
        }
        // One line per step, so that a change of a recording can be read.
        object.add("steps", literal: "[\n" + lines.joined(separator: ",\n") + "\n]")
        return object.bytes + [UInt8(ascii: "\n")]
    }

    /// Parses a document.
    ///
    /// - Throws: ``FormatError``.
    init(_ bytes: [UInt8]) throws {
        guard case .object(let object) = try JSONValue(parsing: bytes), object["format"]?.int == Self.format else {
            throw FormatError(
                description: "expected a recording of format \(Self.format), as written by nhub verify --record")
        }
        func text(_ name: String) throws -> String { try object.required(name) }
        guard let tier = HubEmulator.Tier(rawValue: try text("tier")),
            let profile = HubEmulator.Profile(rawValue: try text("profile"))
        else { throw FormatError(description: "unknown tier or profile") }
        guard ["http", "https"].contains(try text("scheme")) else { throw FormatError(description: "unknown scheme") }
        head = Head(
            date: try text("date"), origin: try text("origin"), tier: tier, profile: profile,
            region: object["region"]?.string, scheme: try text("scheme"),
            rights: Set(
                try object.array("rights").map { value in
                    guard let right = value.string.flatMap(VerifyStep.Right.init) else {
                        throw FormatError(description: "unknown right")
                    }
                    return right
                }))
        steps = try object.array("steps").map { value in
            guard case .object(let step) = value else {
                throw FormatError(description: "expected an object for each step")
            }
            return Step(
                name: try step.required("step"),
                exchanges: try step.array("exchanges").map(Exchange.init(json:)))
        }
        guard steps.contains(where: { !$0.exchanges.isEmpty }) else {
            throw FormatError(description: "the recording has no exchanges")
        }
    }

    /// The recording to write, with numbered placeholders instead of the service's IDs and times.
    var numbered: VerifyRecording {
        let number = VariableText.numbering()
        var recording = self
        recording.steps = steps.map { step in
            Step(name: step.name, exchanges: step.exchanges.map { Anonymizer.recorded($0).map(number) })
        }
        return recording
    }

    init(head: Head, steps: [Step]) { (self.head, self.steps) = (head, steps) }

    /// An error for a document that is not a recording.
    struct FormatError: Error, CustomStringConvertible {
        let description: String
    }
}

extension Exchange {
    fileprivate var json: JSONOutput {
        var object = JSONOutput()
        object.add("request", request.json)
        object.add("response", response.json)
        return object
    }

    fileprivate init(json: JSONValue) throws {
        guard case .object(let object) = json, case .object(let request)? = object["request"],
            case .object(let response)? = object["response"]
        else { throw VerifyRecording.FormatError(description: "expected an object with request and response") }
        self.init(request: try Message(json: request), response: try Message(json: response))
    }
}

extension Exchange.Message {
    fileprivate var json: JSONOutput {
        var object = JSONOutput()
        object.add("line", line)
        var fields = JSONOutput()
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { fields.add(name, value) }
        object.add("headers", fields)
        object.add("body", body)
        return object
    }

    fileprivate init(json: JSONObject) throws {
        guard case .object(let fields)? = json["headers"] else {
            throw VerifyRecording.FormatError(description: "expected headers")
        }
        self.init(
            line: try json.required("line"),
            headers: Dictionary(fields.members.map { ($0.name, $0.value.string ?? "") }) { $1 },
            body: try json.required("body"))
    }
}

extension JSONObject {
    fileprivate func required(_ name: String) throws -> String {
        guard let text = self[name]?.string else {
            throw VerifyRecording.FormatError(description: "missing member \"\(name)\"")
        }
        return text
    }

    fileprivate func array(_ name: String) throws -> [JSONValue] {
        guard let values = self[name]?.array else {
            throw VerifyRecording.FormatError(description: "expected an array as the member \"\(name)\"")
        }
        return values
    }
}
