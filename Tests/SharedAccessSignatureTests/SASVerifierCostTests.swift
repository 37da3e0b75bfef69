import HubLock
@testable import SharedAccessSignature
import Testing

/// How many signatures the verifier makes: that takes nearly all of its time.
@Suite struct SASVerifierCostTests {
    private let made = Locked(0)

    @Test func `makes as many signatures for an unknown name as for a wrong signature, and for a valid token`() throws {
        let secrets = [("two keys", "a"), ("two keys", "b"), ("one key", "c")]
        let verifier = SASVerifier(
            keys: secrets.map { counting($0.0, $0.1) }, seconds: 0, maximumLifetime: nil,
            decoy: counting("nobody", "d").authenticator)
        let hub = try SASResource("https://h.net/hub")
        for (keyName, secret) in secrets + [("two keys", "x"), ("one key", "x"), ("unknown", "x")] {
            let key = SharedAccessKey(name: keyName, secret: secret)
            let token = SASSigner(key: key, resource: "https://h.net/hub").token(expiringAt: 9)
            made.withLock { $0 = 0 }
            _ = try? verifier.verify(token, for: hub, now: 1)
            #expect(made.withLock { $0 } == 2, "\(keyName)")
            made.withLock { $0 = 0 }
            _ = verifier.verify(batch: [token, token, token], for: hub, now: 1)
            #expect(made.withLock { $0 } == 6, "\(keyName), in a batch")
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
