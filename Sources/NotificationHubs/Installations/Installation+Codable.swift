#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Installation: Codable {
    private enum Key: String, CodingKey {
        case id = "installationId"
        case platform, pushChannel, pushChannelExpired, expirationTime, tags, templates
    }

    /// Reads the service's JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            id: try container.decode(ID.self, forKey: .id),
            pushChannel: PushChannel(
                platform: Platform(rawValue: try container.decode(String.self, forKey: .platform)),
                handle: try container.decode(String.self, forKey: .pushChannel)),
            tags: try container.decodeIfPresent([NotificationHub.Tag].self, forKey: .tags) ?? [],
            templates: try container.decodeIfPresent([String: Template].self, forKey: .templates) ?? [:],
            isPushChannelExpired: try container.decodeIfPresent(Bool.self, forKey: .pushChannelExpired),
            expirationTime: try container.decodeIfPresent(WireDate.self, forKey: .expirationTime)?.date)
    }

    /// Writes the service's JSON; what is empty is left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(pushChannel.platform.rawValue, forKey: .platform)
        try container.encode(pushChannel.handle, forKey: .pushChannel)
        try container.encodeIfPresent(isPushChannelExpired, forKey: .pushChannelExpired)
        try container.encodeIfPresent(expirationTime.map(WireDate.init), forKey: .expirationTime)
        if !tags.isEmpty { try container.encode(tags, forKey: .tags) }
        if !templates.isEmpty { try container.encode(templates, forKey: .templates) }
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

extension Installation.Template: Codable {
    private enum Key: String, CodingKey {
        case body, tags
    }

    /// Reads the service's JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            body: try container.decode(String.self, forKey: .body),
            tags: try container.decodeIfPresent([NotificationHub.Tag].self, forKey: .tags) ?? [])
    }

    /// Writes the service's JSON; what is empty is left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(body, forKey: .body)
        if !tags.isEmpty { try container.encode(tags, forKey: .tags) }
    }
}

/// A point in time as the service writes it: ISO 8601, in UTC whether it says so or not, with or without a fraction.
struct WireDate: Codable {
    let date: Date

    init(_ date: Date) {
        self.date = date
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        // The fraction is dropped: its length varies, and no date of this service needs it.
        var seconds = text[...]
        if let point = seconds.firstIndex(of: ".") {
            let fraction = seconds[point...].dropFirst().prefix { $0.isASCII && $0.isNumber }
            seconds = seconds[..<point] + seconds[fraction.endIndex...]
        }
        let zone = seconds.dropFirst("2020-01-01T00:00:00".count)
        let isZone =
            zone.isEmpty || zone == "Z"
            || "+-".contains(zone.prefix(1)) && zone.utf8.count { $0 >= 0x30 && $0 <= 0x39 } == 4
        guard isZone, let date = try? Date(zone.isEmpty ? seconds + "Z" : String(seconds), strategy: .iso8601) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is no ISO 8601 date")
        }
        self.date = date
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(date.formatted(.iso8601))
    }
}
