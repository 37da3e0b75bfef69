package import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request, with the settings of the hub that its handler needs.
struct ServiceCall {
    let request: HubRequest
    let query: QueryString
    let hubName: NotificationHub.Name
    let tier: HubEmulator.Tier
    let profile: HubEmulator.Profile
    let now: Date
    /// The time at which a write takes effect.
    let due: Date
    /// Whether the sender intends a message without tags as a broadcast.
    let isBroadcastIntended: Bool
    /// Returns an installation as it will be after all queued writes; `nil` if it will not exist.
    let pendingInstallation: (Installation.ID) -> Installation?

    var headers: HubHeaders { request.headers }

    /// Returns the URL of a new resource, without the request's query flags, as the service's newer front end writes it.
    ///
    /// - Parameters:
    ///   - folder: The path of the collection, below the hub.
    ///   - id: The resource's ID.
    func location(_ folder: String, _ id: some CustomStringConvertible) -> String {
        let version = query["api-version"].map { "?api-version=\($0)" } ?? ""
        return "\(request.endpoint)/\(hubName)/\(folder)/\(id)\(version)"
    }

    /// Returns the response for an accepted message. It includes the ID only in the Standard tier.
    func accepted(_ folder: String, _ id: PushNotification.ID) -> HubResponse {
        ServiceResponse.accepted(location: tier == .standard ? location(folder, id) : nil)
    }
}

extension QueryString {
    /// Returns whether a flag is set: `direct`, as in the .NET and Java SDKs, `direct=true`, as in the JavaScript SDK, or
    /// `direct=`, as Go's `url.Values` writes it.
    func hasFlag(_ name: String) -> Bool {
        fields.contains { $0.name == name && ($0.value.isEmpty || $0.value.utf8.isEqual(ignoringCase: "true")) }
    }
}

/// The API versions of the service.
package enum APIVersion {
    /// The versions in the documentation, in Microsoft's clients or in recorded traffic.
    private static let known = [
        "2013-04", "2013-07", "2013-08", "2013-10", "2014-09", "2015-01", "2015-04", "2015-08", "2016-07", "2017-04",
        "2020-06",
    ]

    /// Checks that a query has a known `api-version`.
    package static func check(_ query: QueryString) throws(ServiceError) {
        guard let version = query["api-version"], !version.isEmpty else {
            throw .badRequest("missing api-version in the query: add api-version=2020-06")
        }
        guard known.contains(version) else {
            throw .badRequest("unknown api-version \"\(version)\" (allowed: \(known.joined(separator: ", ")))")
        }
    }
}
