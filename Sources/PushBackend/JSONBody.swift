import HubText
import NotificationHubs

extension AppBackend.Request {
    /// Parses the body as JSON; returns `nil` if there is no body.
    func json() throws(RequestError) -> JSONValue? {
        guard !body.isEmpty else { return nil }
        guard isJSON else {
            throw RequestError(415, "unsupported Content-Type: the body must be JSON in UTF-8, as application/json")
        }
        do {
            return try JSONValue(parsing: body)
        } catch {
            throw RequestError(400, "invalid JSON in the body: \(error)")
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

/// The members of a JSON object. As in the samples' backend, the case of ASCII letters in names is ignored, and `null` means
/// absent.
struct Members {
    /// The members by their names in lower case, as bytes, because strings compare canonically equivalent names as equal.
    private var values: [[UInt8]: JSONValue] = [:]
    /// The object's name in error messages.
    private let name: String

    init(_ json: JSONValue, _ name: String = "the body") throws(RequestError) {
        guard case .object(let object) = json else { throw RequestError(400, "\(name) must be a JSON object") }
        self.name = name
        for member in object.members {
            guard values.updateValue(member.value, forKey: member.name.utf8.asciiLowercased) == nil else {
                throw RequestError(400, "duplicate member of \(name) (names are case-insensitive)")
            }
        }
    }

    subscript(member: String) -> JSONValue? {
        guard let value = values[member.utf8.asciiLowercased], value != .null else { return nil }
        return value
    }

    func text(_ member: String) throws(RequestError) -> String? {
        switch self[member] {
        case nil: return nil
        case .string(let text)?: return text
        case _?: throw RequestError(400, "\(member) of \(name) must be a string")
        }
    }

    func requiredText(_ member: String) throws(RequestError) -> String {
        guard let text = try text(member), !text.isEmpty else {
            throw RequestError(400, "\(member) of \(name) must be a non-empty string")
        }
        return text
    }

    /// Returns the entries of a member that is an object, or an empty array if the member is absent.
    func entries(_ member: String) throws(RequestError) -> [JSONObject.Member] {
        switch self[member] {
        case nil: return []
        case .object(let object)?: return object.members.filter { $0.value != .null }
        case _?: throw RequestError(400, "\(member) of \(name) must be a JSON object")
        }
    }

    func texts(_ member: String) throws(RequestError) -> [String: String] {
        var texts: [String: String] = [:]
        for entry in try entries(member) {
            guard case .string(let text) = entry.value else {
                throw RequestError(400, "the values of \(member) of \(name) must be strings")
            }
            // Hashing a name with many combining marks takes quadratic time.
            guard entry.name.utf8.count <= 256 else {
                throw RequestError(400, "the names of \(member) of \(name) must have at most 256 bytes")
            }
            // A dictionary cannot hold both of two canonically equivalent names.
            guard texts.updateValue(text, forKey: entry.name) == nil else {
                throw RequestError(400, "\(member) of \(name) must not contain two canonically equivalent names")
            }
        }
        return texts
    }

    /// Returns the tags that a device requests.
    ///
    /// - Parameter limit: The maximum number of tags.
    /// - Throws: ``RequestError`` for an invalid or a reserved tag.
    func tags(_ member: String = "tags", limit: Int) throws(RequestError) -> [NotificationHub.Tag] {
        guard let value = self[member] else { return [] }
        guard case .array(let values) = value else { throw RequestError(400, "\(member) of \(name) must be an array") }
        guard values.count <= limit else { throw RequestError(400, "\(name) must have at most \(limit) tags") }
        var tags: [NotificationHub.Tag] = []
        for value in values where value != .null {
            guard case .string(let text) = value else { throw RequestError(400, "the tags of \(name) must be strings") }
            let tag: NotificationHub.Tag
            do {
                tag = try NotificationHub.Tag(validating: text)
            } catch {
                throw RequestError(400, "\(error)")
            }
            guard !AppBackend.User.isReserved(tag) else {
                throw RequestError(
                    400, "tags that begin with \(AppBackend.User.tagPrefix) are reserved for the backend")
            }
            if !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }
}
