import HubLock
@testable import SharedAccessSignature
import Testing

/// How many signatures the verifier makes: that takes nearly all of its time.
@Suite struct SASVerifierCostTests {
    private let made = Locked(0)

    /// The last three have other names, of which one token can name two.
    static let secrets = [
        ("two keys", "a"), ("two keys", "b"), ("one key", "c"), ("x+y", "d"), ("x y", "e"), ("x%20y", "f"),
    ]

    @Test func `makes as many signatures for an unknown name as for a wrong signature, and for a valid token`() throws {
        let verifier = SASVerifier(keys: Self.secrets.map { counting($0.0, $0.1) })
        let hub = try SASResource("https://h.net/hub")
        for (keyName, secret) in Self.secrets + [
            ("two keys", "z"), ("one key", "z"), ("unknown", "z"), ("x%2520y", "z"),
        ] {
            for encoding in [SASEncoding.standard, .go, .python] {
                let key = SharedAccessKey(name: keyName, secret: secret)
                let token = SASSigner(key: key, resource: "https://h.net/hub", encoding: encoding).token(expiringAt: 9)
                made.withLock { $0 = 0 }
                _ = try? verifier.verify(token, for: hub, now: 1)
                #expect(made.withLock { $0 } == 3, "\(keyName)")
                made.withLock { $0 = 0 }
                _ = verifier.verify(batch: [token, token, token], for: hub, now: 1)
                #expect(made.withLock { $0 } == 9, "\(keyName), in a batch")
            }
        }
    }

    private func counting(_ name: String, _ secret: String) -> SharedAccessKey {
        let key = SharedAccessKey(name: name, secret: secret)
        return SharedAccessKey(name: name) { [made] message in
            made.withLock { $0 += 1 }
            return Array(key.authenticator.code(of: message))
        }
    }
}
