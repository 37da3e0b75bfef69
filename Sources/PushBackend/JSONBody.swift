import HubText
import NotificationHubs

extension AppBackend.Request {
    /// The body's JSON; `nil` if there is no body.
    func json() throws(Refusal) -> JSONValue? {
        guard !body.isEmpty else { return nil }
        guard isJSON else {
            throw Refusal(415, "the body must be JSON in UTF-8 with a matching Content-Type")
        }
        do {
            return try JSONValue(parsing: body)
        } catch {
            throw Refusal(400, "invalid JSON in the body: \(error)")
        }
    }

    private var isJSON: Bool {
        let parts = (headers["Content-Type"] ?? "").utf8.split(separator: UInt8(ascii: ";")).map { part in
            part.filter { $0 != 0x20 && $0 != 0x09 }.asciiLowercased
        }
        func has(_ part: [UInt8]?, _ texts: String...) -> Bool { texts.contains { Array($0.utf8) == part } }
        return has(parts.first, "application/json", "text/json")
            && parts.dropFirst().allSatisfy { parameter in
                !parameter.starts(with: "charset=".utf8) || has(parameter, "charset=utf-8", "charset=\"utf-8\"")
            }
    }
}

/// The members of a JSON object, by names in any case of ASCII letters, as the samples' backend reads them. `null` counts as
/// absent.
struct Members {
    /// The members by their names in lower case, as bytes: texts that look the same are not the same name.
    private var values: [[UInt8]: JSONValue] = [:]
    /// What the object is called in errors.
    private let name: String

    init(_ json: JSONValue, _ name: String = "the body") throws(Refusal) {
        guard case .object(let object) = json else { throw Refusal(400, "\(name) must be a JSON object") }
        self.name = name
        for member in object.members {
            // Two such members would be ambiguous.
            guard values.updateValue(member.value, forKey: member.name.utf8.asciiLowercased) == nil else {
                throw Refusal(400, "a member of \(name) appears twice, in different cases")
            }
        }
    }

    subscript(member: String) -> JSONValue? {
        guard let value = values[member.utf8.asciiLowercased], value != .null else { return nil }
        return value
    }

    func text(_ member: String) throws(Refusal) -> String? {
        switch self[member] {
        case nil: return nil
        case .string(let text)?: return text
        case _?: throw Refusal(400, "\(member) of \(name) must be a string")
        }
    }

    func requiredText(_ member: String) throws(Refusal) -> String {
        guard let text = try text(member), !text.isEmpty else {
            throw Refusal(400, "\(member) of \(name) must be a non-empty string")
        }
        return text
    }

    /// The members of an object that is a member; none if there is none.
    func entries(_ member: String) throws(Refusal) -> [JSONObject.Member] {
        switch self[member] {
        case nil: return []
        case .object(let object)?: return object.members.filter { $0.value != .null }
        case _?: throw Refusal(400, "\(member) of \(name) must be a JSON object")
        }
    }

    func texts(_ member: String) throws(Refusal) -> [String: String] {
        var texts: [String: String] = [:]
        for entry in try entries(member) {
            guard case .string(let text) = entry.value else {
                throw Refusal(400, "the values of \(member) of \(name) must be strings")
            }
            // A dictionary treats canonically equivalent names as one key.
            guard texts.updateValue(text, forKey: entry.name) == nil else {
                throw Refusal(400, "\(member) of \(name) has two canonically equivalent names")
            }
        }
        return texts
    }

    /// The tags that a device requests: valid, and none of them reserved.
    ///
    /// - Parameter limit: the maximum number of tags.
    func tags(_ member: String = "tags", limit: Int) throws(Refusal) -> [NotificationHub.Tag] {
        guard let value = self[member] else { return [] }
        guard case .array(let values) = value else { throw Refusal(400, "\(member) of \(name) must be an array") }
        guard values.count <= limit else { throw Refusal(400, "\(name) must have at most \(limit) tags") }
        var tags: [NotificationHub.Tag] = []
        for value in values where value != .null {
            guard case .string(let text) = value else { throw Refusal(400, "the tags of \(name) must be strings") }
            let tag: NotificationHub.Tag
            do {
                tag = try NotificationHub.Tag(validating: text)
            } catch {
                throw Refusal(400, "\(error)")
            }
            guard !AppBackend.User.isReserved(tag) else {
                throw Refusal(400, "tags that begin with \(AppBackend.User.tagPrefix) are reserved for the backend")
            }
            if !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }
}
