/// An HTTP/2 frame (RFC 9113 §4.1).
struct Frame {
    let type: UInt8
    let flags: UInt8
    let stream: UInt32

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Frame(4).bytes()

    init(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0) {
        (self.type, self.flags, self.stream) = (type, flags, stream)
    }

    func bytes(_ payload: [UInt8] = []) -> [UInt8] {
        Self.number(UInt32(payload.count)).dropFirst() + [type, flags] + Self.number(stream) + payload
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// A GET request, or a POST request without the flag for the end.
    static func headers(stream: UInt32, flags: UInt8, path: String = "/") -> [UInt8] {
        // The method, the scheme, and the names of the path and the authority are in the static table.
        let start: [UInt8] = [flags & 1 == 0 ? 0x83 : 0x82, 0x87, 0x04, UInt8(path.utf8.count)]
        return Frame(1, flags: flags, stream: stream).bytes(start + path.utf8 + [0x01, 0x01, UInt8(ascii: "h")])
    }

    /// Returns the error code of the first GOAWAY frame with an error.
    static func endCode(in bytes: [UInt8]) -> UInt32? {
        var rest = bytes[...]
        while rest.count >= 9 {
            let (head, count) = (Array(rest.prefix(9)), rest.prefix(3).reduce(0) { $0 << 8 | Int($1) })
            let payload = rest.dropFirst(9).prefix(count)
            rest = rest.dropFirst(9 + count)
            let code = payload.dropFirst(4).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if head[3] == 7, code != 0 { return code }
        }
        return nil
    }
}
