import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

extension Installation {
    /// Warnings about what the client sends, although the hub may not accept or keep it.
    var warnings: [String] {
        let limit = exceededLimit
        guard limit == nil || (try? checked(enforcesLimits: false)) != nil else { return [] }
        let expiry = expirationTime.flatMap {
            $0 < Date() ? "expirationTime is in the past: the hub deletes the device" : nil
        }
        return [limit.map { "\($0): the hub decides" }, expiry].compactMap(\.self)
    }
}

extension Registration {
    /// Warnings about what the client sends, although the hub may not accept it.
    var warnings: [String] {
        guard let limit = exceededLimit, (try? check(enforcesLimits: false)) != nil else { return [] }
        return ["\(limit): the hub decides"]
    }
}
