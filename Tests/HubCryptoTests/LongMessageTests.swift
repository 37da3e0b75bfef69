import HubCrypto
import Testing

@Suite(.timeLimit(.minutes(30))) struct LongMessageTests {
    /// Streams at least 64 KiB more than 2³² bits. The digest is from Python's hashlib.
    @Test func `counts more than 2^32 bits`() {
        let part = patternBytes(251 * 4096)
        var hasher = SHA256()
        var count = 0
        while count < (1 << 29) + (1 << 16) {
            hasher.update(data: part)
            count += part.count
        }
        #expect(hasher.finalize().description == "1c9406f9729fe51abf22c0fe07ef4af8a5927fdc175a92f159eebc1c42f9b3f8")
    }
}
