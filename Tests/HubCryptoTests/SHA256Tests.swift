import HubCrypto
import HubTestSupport
import Testing

@Suite struct SHA256Tests {
    static let examples = Result {
        try Vectors.cases("crypto/sha256-fips.vectors", fields: ["message", "digest"])
            + Vectors.cases("crypto/sha256-cavp.vectors", fields: ["message", "digest"])
    }

    @Test(arguments: try examples.get())
    func `hashes the FIPS 180 and NIST CAVP examples`(example: Vectors.Case) throws {
        let message = try example.bytes("message")
        let expected = try example.bytes("digest")
        #expect(SHA256.hash(data: message).elementsEqual(expected))
        let digestOfSpan = withBytes(of: message) { SHA256.hash(data: $0) }
        #expect(digestOfSpan.elementsEqual(expected))

        var inParts = SHA256()
        inParts.update(data: message.prefix(message.count / 2))
        withBytes(of: Array(message.dropFirst(message.count / 2))) { inParts.update(data: $0) }
        #expect(inParts.finalize().elementsEqual(expected))

        var byteByByte = SHA256()
        for byte in message.prefix(10_000) { byteByByte.update(data: CollectionOfOne(byte)) }
        byteByByte.update(data: message.dropFirst(10_000))
        #expect(byteByByte.finalize().elementsEqual(expected))
    }

    @Test func `passes the NIST Monte Carlo test`() throws {
        for step in try Vectors.cases("crypto/sha256-cavp-monte-carlo.vectors", fields: ["seed", "digest"]) {
            let seed = try step.bytes("seed")
            var last = [seed, seed, seed]
            for _ in 0..<1000 {
                last.append(Array(SHA256.hash(data: last[0] + last[1] + last[2])))
                last.removeFirst()
            }
            #expect(last[2] == (try step.bytes("digest")), "\(step)")
        }
    }

    @Test func `reads a noncontiguous sequence once`() {
        let message = patternBytes(150)
        var next = message.makeIterator()
        let onePass = AnySequence { AnyIterator { next.next() } }
        #expect(SHA256.hash(data: onePass) == SHA256.hash(data: message))
    }

    @Test func `accepts more data after finalize`() {
        let message = patternBytes(200)
        var hasher = SHA256()
        hasher.update(data: message[..<70])
        #expect(hasher.finalize() == SHA256.hash(data: message[..<70]))
        #expect(hasher.finalize() == SHA256.hash(data: message[..<70]))
        hasher.update(data: message[70...])
        #expect(hasher.finalize() == SHA256.hash(data: message))
    }

    @Test func `copies hashers as independent values`() {
        var first = SHA256()
        first.update(data: patternBytes(70))
        var second = first
        second.update(data: [1])
        #expect(first.finalize() == SHA256.hash(data: patternBytes(70)))
        #expect(second.finalize() == SHA256.hash(data: patternBytes(70) + [1]))
    }
}

@Suite struct DigestTests {
    let digest = SHA256.hash(data: "abc".utf8)

    @Test func `prints hexadecimal digits`() {
        #expect("\(digest)" == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `is a collection of 32 bytes`() {
        #expect(digest.count == 32)
        #expect(digest[0] == 0xba)
        #expect(digest[31] == 0xad)
        #expect(Array(digest) == digest.indices.map { digest[$0] })
    }

    @Test func `equals only the digest of the same message`() {
        #expect(digest == SHA256.hash(data: "abc".utf8))
        #expect(digest.hashValue == SHA256.hash(data: "abc".utf8).hashValue)
        #expect(digest != SHA256.hash(data: "abd".utf8))
    }
}
