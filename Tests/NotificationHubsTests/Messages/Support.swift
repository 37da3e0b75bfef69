import Foundation
import NotificationHubs

/// A generator that gives the same numbers in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}

/// Tags as the service may send them, not all of which it takes.
enum JSONTags {
    static func decode(_ json: String) throws -> [NotificationHub.Tag] {
        try JSONDecoder().decode([NotificationHub.Tag].self, from: Data(json.utf8))
    }
}

extension ScriptedTransport {
    /// A transport that takes every message.
    static func accepting() -> ScriptedTransport {
        ScriptedTransport { _ in HubResponse(status: 201, headers: ["Location": "https://h/push/messages/NH-1"]) }
    }
}

extension HubRequest {
    var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// The headers that say what is sent to whom.
    var messageHeaders: [String: String] {
        var message: [String: String] = [:]
        for (name, value) in headers where !["authorization", "user-agent"].contains(name.lowercased()) {
            message[name.lowercased()] = value
        }
        return message
    }
}
