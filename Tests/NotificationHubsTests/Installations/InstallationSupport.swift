import Foundation
import HubTestSupport
import NotificationHubs
import Testing

/// Returns the body of the request that puts an installation.
func bodyOfPut(_ installation: Installation) async throws -> String {
    let transport = ScriptedTransport { _ in HubResponse(status: 200) }
    try await NotificationHub.scripted(transport).putInstallation(installation)
    return String(decoding: try #require(transport.requests.first).body, as: UTF8.self)
}

/// Expects that an installation is rejected before anything is sent.
///
/// - Returns: The description of the error.
@discardableResult
func expectNotSent(
    _ installation: Installation, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> String? {
    let transport = ScriptedTransport { _ in HubResponse(status: 200) }
    let hub = try NotificationHub.scripted(transport)
    let error = await #expect(throws: HubValidationError.self, sourceLocation: sourceLocation) {
        try await hub.putInstallation(installation)
    }
    #expect(transport.requests.isEmpty, sourceLocation: sourceLocation)
    return error?.description
}

/// Returns the contents of a file in `Fixtures/hub`.
func hubSample(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Fixtures.url("hub/\(name)")))
}

extension JSONValue {
    /// Returns the value at a path of member names and array indexes.
    subscript(path: String...) -> Self? {
        path.reduce(self) { value, name in
            switch value {
            case .object(let object)?: object[name]
            case .array(let values)?: Int(name).flatMap { values.indices.contains($0) ? values[$0] : nil }
            default: nil
            }
        }
    }
}
