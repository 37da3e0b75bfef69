extension Installation: Codable {
    /// Reads the service's JSON by way of any decoder. ``init(json:)`` is exact: through a decoder, a number that this
    /// package has no property for may lose digits.
    public init(from decoder: any Decoder) throws {
        self = try decoder.reading { json throws(HubValidationError) in try Installation(json) }
    }

    /// Writes the service's JSON, all of it; what is empty is left out.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.object(members).encode(to: encoder)
    }
}

extension Installation.Template: Codable {
    /// Reads the service's JSON.
    public init(from decoder: any Decoder) throws {
        self = try decoder.reading { json throws(HubValidationError) in try Installation.Template(json, at: "") }
    }

    /// Writes the service's JSON; what is empty is left out.
    public func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }
}

extension Decoder {
    fileprivate func reading<Value>(
        _ read: (JSONValue) throws(HubValidationError) -> Value
    ) throws -> Value {
        let json = try JSONValue(from: self)
        do {
            return try read(json)
        } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: error.description))
        }
    }
}
