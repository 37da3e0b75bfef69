extension Installation: Codable {
    /// Reads the service's JSON by way of any decoder. ``init(json:)`` is exact: through a decoder, a number that this
    /// package has no property for may lose digits.
    public init(from decoder: any Decoder) throws {
        self = try decoder.reading { json throws(Unreadable) in try Installation(json) }
    }

    /// Writes the service's JSON, all of it; what is empty is left out.
    public func encode(to encoder: any Encoder) throws {
        try NotificationHub.JSONValue.object(members).encode(to: encoder)
    }
}

extension Installation.Template: Codable {
    /// Reads the service's JSON.
    public init(from decoder: any Decoder) throws {
        self = try decoder.reading { json throws(Installation.Unreadable) in try Installation.Template(json, at: "") }
    }

    /// Writes the service's JSON; what is empty is left out.
    public func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }
}

extension Installation.ID: Codable {
    /// Reads and checks an id.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(validating: try container.decode(String.self))
        } catch let error as NotificationHub.InvalidName {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Decoder {
    fileprivate func reading<Value>(
        _ read: (NotificationHub.JSONValue) throws(Installation.Unreadable) -> Value
    ) throws -> Value {
        let json = try NotificationHub.JSONValue(from: self)
        do {
            return try read(json)
        } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: error.description))
        }
    }
}
