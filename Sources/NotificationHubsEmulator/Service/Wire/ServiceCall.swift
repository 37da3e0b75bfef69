import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request, with what of the hub it depends on.
struct ServiceCall {
    let request: HubRequest
    let hubName: NotificationHub.Name
    let tier: HubEmulator.Tier
    let now: Date
    /// When a write takes effect.
    let due: Date
    /// Whether the sender has said that a message without tags is for everyone.
    let isForEveryoneByChoice: Bool

    var query: QueryString { QueryString(request.query) }
    var headers: HubHeaders { request.headers }

    /// The URL of what has been made in a folder, as the service's newer front end writes it: without the query's flags.
    func location(_ folder: String, _ id: some CustomStringConvertible) -> String {
        let version = query["api-version"].map { "?api-version=\($0)" } ?? ""
        return "\(request.endpoint)/\(hubName)/\(folder)/\(id)\(version)"
    }

    /// The answer to a message that was taken: its id is said by hubs of the Standard tier alone.
    func accepted(_ folder: String, _ id: PushNotification.ID) -> HubResponse {
        ServiceResponse.accepted(location: tier == .standard ? location(folder, id) : nil)
    }
}

extension QueryString {
    /// Whether a flag is set: `direct`, as .NET's and Java's SDKs write it, or `direct=true`, as JavaScript's does.
    func hasFlag(_ name: String) -> Bool {
        fields.contains { $0.name == name && ($0.rawValue == nil || $0.value.utf8.isEqual(ignoringCase: "true")) }
    }
}

/// The versions of the service's interface.
enum APIVersion {
    /// Those that are documented, that Microsoft's clients say, or that were recorded.
    private static let known = [
        "2013-04", "2013-07", "2014-09", "2015-01", "2015-04", "2016-07", "2017-04", "2020-06",
    ]

    /// Makes sure that a request says one.
    static func check(_ query: QueryString) throws(ServiceRefusal) {
        guard let version = query["api-version"], !version.isEmpty else {
            throw .badRequest("The query has no api-version, such as api-version=2020-06")
        }
        guard known.contains(version) else {
            throw .badRequest("The query's api-version is none of \(known.joined(separator: ", "))")
        }
    }
}
