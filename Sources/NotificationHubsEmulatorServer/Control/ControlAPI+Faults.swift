import HubServer
import NotificationHubsEmulator
import NotificationHubs

extension ControlAPI {
    /// Returns the hubs' faults and their counts.
    func faultsResponse() -> HTTPResponse {
        .json([
            "hubs": .array(
                hubs.map { hub in
                    let (faults, counts) = hub.faultsWithCounts
                    let ownFaults = zip(faults.faults, counts).filter { fault, _ in
                        fault.hubName.map(hub.hubName.isSame) ?? true
                    }
                    return .object([
                        "hub": .string(hub.hubName.rawValue), "seed": .number(.init(faults.seed)),
                        "faults": .array(ownFaults.map { .object($0.json.adding($1)) }),
                    ])
                })
        ])
    }

    /// Sets the faults of all hubs: `{"seed": 7, "faults": [{"method": "POST", "path": "/messages", "status": 429}]}`.
    ///
    /// A fault may also be a string in the format of the option `--fault`.
    func setFaults(_ bytes: [UInt8]) throws(ControlError) -> HTTPResponse {
        let body = try ControlBody(bytes)
        try body.allowOnly("seed", "faults")
        guard case .array(let values)? = body.object["faults"] else {
            throw ControlError(400, "faults must be an array")
        }
        var faults: HubEmulator.Faults = []
        switch body.object["seed"] {
        case nil: break
        case .number(let number)?:
            guard let seed = UInt64(number.text) else {
                throw ControlError(400, "seed must be an unsigned 64-bit integer")
            }
            faults.seed = seed
        default: throw ControlError(400, "seed must be an unsigned 64-bit integer")
        }
        for value in values {
            do {
                faults.faults.append(try HubEmulator.Fault(value))
            } catch {
                throw ControlError(400, "faults: \(error)")
            }
        }
        for fault in faults.faults { _ = try fault.hubName.map { name throws(ControlError) in try hub(name) } }
        for hub in hubs { hub.faults = faults }
        return faultsResponse()
    }
}

extension HubEmulator.Fault {
    /// Creates a fault from a JSON object, or from a string in the format of the option `--fault`.
    fileprivate init(_ value: JSONValue) throws(InvalidText) {
        switch value {
        case .string(let text):
            try self.init(text)
        case .object(let object):
            var fields: [(name: String, value: String)] = []
            for member in object.members {
                guard let text = Self.fieldValue(member.value) else {
                    throw InvalidText("invalid member: expected a string, a number, a Boolean or an array of these")
                }
                fields.append((member.name == "retryAfter" ? "retry-after" : member.name, text))
            }
            try self.init(fields: fields)
        default:
            throw InvalidText("a fault must be an object or a string")
        }
    }

    private static func fieldValue(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): return text
        case .number(let number): return number.text
        case .bool(let flag): return flag ? "true" : "false"
        case .array(let values):
            let texts = values.compactMap(fieldValue)
            return texts.count == values.count ? texts.joined(separator: ",") : nil
        default: return nil
        }
    }

    /// The fault as a JSON object that `PUT faults` accepts.
    fileprivate var json: JSONObject {
        var object: JSONObject = ["path": .string(path)]
        object["method"] = method.map { .string($0.rawValue) }
        object["hub"] = hubName.map { .string($0) }
        if latency > .zero { object["latency"] = latency.json }
        switch effect {
        case nil: break
        case .status(let status, let retryAfter):
            object["status"] = .integer(status)
            object["retryAfter"] = retryAfter?.json
        case .stall: object["stall"] = .bool(true)
        case .resetBefore: object["reset"] = .string("before")
        case .resetAfter: object["reset"] = .string("after")
        }
        switch occurrence {
        case .always: break
        case .rate(let rate): object["rate"] = JSONNumber("\(rate)").map { .number($0) }
        case .calls(let numbers): object["nth"] = .array(numbers.sorted().map { .integer($0) })
        case .every(let step): object["every"] = .integer(step)
        }
        return object
    }
}

extension JSONObject {
    fileprivate func adding(_ count: HubEmulator.FaultCount) -> Self {
        var object = self
        object["matched"] = .integer(count.matched)
        object["triggered"] = .integer(count.triggered)
        return object
    }
}

extension Duration {
    /// The duration in a fault's format, such as `300ms`.
    fileprivate var json: JSONValue {
        .string("\(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)ms")
    }
}
