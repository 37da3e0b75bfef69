import NotificationHubs

/// A request's body: a JSON object; an empty one is one without a member.
struct ControlBody {
    let object: NotificationHub.JSONObject

    init(_ bytes: [UInt8]) throws(ControlError) {
        guard !bytes.isEmpty else {
            object = [:]
            return
        }
        guard case .object(let object)? = try? NotificationHub.JSONValue(parsing: bytes) else {
            throw ControlError(400, "the body is no JSON object")
        }
        self.object = object
    }

    func text(_ name: String) throws(ControlError) -> String? {
        switch object[name] {
        case nil: return nil
        case .string(let text)?: return text
        default: throw ControlError(400, "\(name) is a text")
        }
    }

    /// Refuses what is misspelled, which would else be passed over in silence.
    func allowOnly(_ names: String...) throws(ControlError) {
        guard object.members.allSatisfy({ names.contains($0.name) }) else {
            throw ControlError(400, "the body has \(names.joined(separator: ", ")), and nothing else")
        }
    }
}
