import HubLock
@testable import SharedAccessSignature
import Testing

/// Counts the verifier's HMAC computations, which take most of its time.
@Suite struct SASVerifierCostTests {
    private let computationCount = Locked(0)

    /// Policy names and secrets. A token can match two of the last three names.
    static let secrets = [
        ("two keys", "a"), ("two keys", "b"), ("one key", "c"), ("x+y", "d"), ("x y", "e"), ("x%20y", "f"),
    ]

    @Test func `computes the same number of signatures for valid tokens, invalid signatures and unknown keys`() throws {
        let verifier = SASVerifier(keys: Self.secrets.map { counting($0.0, $0.1) })
        let hub = try SASResource("https://h.net/hub")
        for (keyName, secret) in Self.secrets + [
            ("two keys", "z"), ("one key", "z"), ("unknown", "z"), ("x%2520y", "z"),
        ] {
            for encoding in [SASEncoding.standard, .go, .python] {
                let key = SharedAccessKey(name: keyName, secret: secret)
                let token = SASSigner(key: key, resource: "https://h.net/hub", encoding: encoding).token(expiringAt: 9)
                computationCount.withLock { $0 = 0 }
                _ = try? verifier.verify(token, for: hub, now: 1)
                #expect(computationCount.withLock { $0 } == 3, "\(keyName)")
                computationCount.withLock { $0 = 0 }
                _ = verifier.verify(batch: [token, token, token], for: hub, now: 1)
                #expect(computationCount.withLock { $0 } == 9, "\(keyName), in a batch")
            }
        }
    }

    /// Returns a key that counts its computations.
    private func counting(_ name: String, _ secret: String) -> SharedAccessKey {
        let key = SharedAccessKey(name: name, secret: secret)
        return SharedAccessKey(name: name) { [computationCount] message in
            computationCount.withLock { $0 += 1 }
            return Array(key.authenticator.code(of: message))
        }
    }
}
