import HubCrypto
import HubTestSupport
import Testing

@Suite struct SHA256Tests {
    static let examples = Result { try Vectors.cases("crypto/sha256-fips.vectors", fields: ["message", "digest"]) }

    @Test(arguments: try examples.get())
    func `hashes the examples of FIPS 180 at once, in two parts and byte by byte`(example: Vectors.Case) throws {
        let message = try example.bytes("message")
        let expected = try example.bytes("digest")
        #expect(SHA256.hash(data: message).elementsEqual(expected))

        var inTwo = SHA256()
        inTwo.update(data: message.prefix(message.count / 2))
        inTwo.update(data: message.dropFirst(message.count / 2))
        #expect(inTwo.finalize().elementsEqual(expected))

        var byteByByte = SHA256()
        for byte in message { byteByByte.update(data: CollectionOfOne(byte)) }
        #expect(byteByByte.finalize().elementsEqual(expected))
    }

    @Test func `gives the same digest wherever a message of up to three blocks is split`() {
        for length in [0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 191, 192] {
            let message = painted(length)
            let whole = SHA256.hash(data: message)
            for split in 0...length {
                var hasher = SHA256()
                hasher.update(data: message[..<split])
                hasher.update(data: message[split...])
                #expect(hasher.finalize() == whole, "\(length) bytes, split at \(split)")
            }
        }
    }

    @Test func `reads a sequence that is not contiguous, and only once`() {
        let message = painted(150)
        var next = message.makeIterator()
        let onePass = AnySequence { AnyIterator { next.next() } }
        #expect(SHA256.hash(data: onePass) == SHA256.hash(data: message))
    }

    @Test func `goes on after finalize as if it had not been called`() {
        let message = painted(200)
        var hasher = SHA256()
        hasher.update(data: message[..<70])
        #expect(hasher.finalize() == SHA256.hash(data: message[..<70]))
        #expect(hasher.finalize() == SHA256.hash(data: message[..<70]))
        hasher.update(data: message[70...])
        #expect(hasher.finalize() == SHA256.hash(data: message))
    }

    @Test func `is a value: a copy goes on by itself`() {
        var first = SHA256()
        first.update(data: painted(70))
        var second = first
        second.update(data: [1])
        #expect(first.finalize() == SHA256.hash(data: painted(70)))
        #expect(second.finalize() == SHA256.hash(data: painted(70) + [1]))
    }
}

@Suite struct DigestTests {
    let digest = SHA256.hash(data: "abc".utf8)

    @Test func `prints as hexadecimal digits`() {
        #expect("\(digest)" == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `is a collection of 32 bytes`() {
        #expect(digest.count == 32)
        #expect(digest[0] == 0xba)
        #expect(digest[31] == 0xad)
        #expect(Array(digest) == digest.indices.map { digest[$0] })
    }

    @Test func `equals the digest of the same message alone`() {
        #expect(digest == SHA256.hash(data: "abc".utf8))
        #expect(digest.hashValue == SHA256.hash(data: "abc".utf8).hashValue)
        #expect(digest != SHA256.hash(data: "abd".utf8))
    }
}

/// Bytes of a pattern whose period is prime to every block's length, so that swapped blocks do not cancel.
func painted(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8($0 % 251) }
}
