import Foundation
import HubTestSupport
import Testing

/// The types of the public API, in `Fixtures/api`, are those of the symbol graphs: another check compares them.
@Suite struct SecrecyTests {
    @Test func `prints no secret of any public type`() async throws {
        for value in try await SecretSamples().values() {
            let printed = everythingPrinted(of: value)
            // A test's own message must not show the secret either.
            let showsMarker = printed.localizedStandardContains(SecretSamples.marker)
            let showsSignature = printed.contains(/(?i)sig=(?!\(redacted\))/)
            #expect(!showsMarker && !showsSignature, "\(Self.name(of: value)) prints a secret")
        }
    }

    @Test func `encodes no secret, except in documents of the service`() async throws {
        let documents: Set = ["AdditionalProperties", "Installation", "PushChannel"]
        for case let value as any Encodable in try await SecretSamples().values() {
            let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
            let showsMarker = text.contains(SecretSamples.marker)
            #expect(showsMarker == documents.contains(Self.name(of: value)), "\(Self.name(of: value))")
        }
    }

    @Test func `lists for each public type whether it can hold a secret`() async throws {
        let sampled = Set(try await SecretSamples().values().map(Self.name))
        let others = Self.typesWithoutSecrets
        #expect(sampled.intersection(others) == [])
        let types = try Self.publicTypes()
        #expect(types.subtracting(sampled).subtracting(others) == [], "add a sample, or the name to the list")
        #expect(sampled.union(others).subtracting(types) == [], "not in the API")
    }

    /// Returns the name of a value's type, without its module and generic arguments.
    private static func name(of value: Any) -> String {
        let name = String(reflecting: type(of: value)).replacing(/<.*>/, with: "")
        return String(name.drop { $0 != "." }.dropFirst())
    }

    /// The public types of all libraries, from the lines "NAME … struct NAME" of the API's files.
    private static func publicTypes() throws -> Set<String> {
        let declaration = #/(?m)^(\S+) (?:(?:@nonexhaustive|@frozen|indirect|final) )*(?:struct|class|enum|actor) /#
        let files = try FileManager.default.contentsOfDirectory(
            at: Fixtures.url("api"), includingPropertiesForKeys: nil)
        return Set(
            try files.filter { $0.pathExtension == "txt" }.flatMap { file in
                try String(contentsOf: file, encoding: .utf8).matches(of: declaration).map { String($0.1) }
            })
    }
}
