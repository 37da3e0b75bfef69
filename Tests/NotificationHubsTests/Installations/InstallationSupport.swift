import Foundation
import HubTestSupport
import NotificationHubs
import Testing

/// What a client sends to put an installation.
func bodyOfPut(_ installation: Installation) async throws -> String {
    let transport = ScriptedTransport { _ in HubResponse(status: 200) }
    try await NotificationHub.scripted(transport).putInstallation(installation)
    return String(decoding: try #require(transport.requests.first).body, as: UTF8.self)
}

/// - Returns: why it was not.
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

/// A sample of `Fixtures/hub`.
func hubSample(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Fixtures.url("hub/\(name)")))
}

extension JSONValue {
    /// A member by the names that lead to it, or an array's element by its index.
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
