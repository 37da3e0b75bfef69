/// Percent-encoding (RFC 3986 §2.1) in the spellings that signers have: which digits, which marks stand for themselves, and
/// what becomes of a space.
package struct PercentEncoding: Hashable, Sendable {
    /// The case of an escape's hexadecimal digits.
    package enum DigitCase: Hashable, Sendable {
        case upper
        case lower
    }

    let digits: DigitCase
    /// What stands for itself beside letters and digits.
    let marks: String
    /// Whether a space becomes a plus sign, as in forms, and not an escape.
    let writesSpaceAsPlus: Bool

    package init(digits: DigitCase, marks: String, writesSpaceAsPlus: Bool) {
        self.digits = digits
        self.marks = marks
        self.writesSpaceAsPlus = writesSpaceAsPlus
    }

    /// RFC 3986: upper-case digits (§2.1), and nothing but the unreserved characters for themselves (§2.3).
    package static let rfc3986 = PercentEncoding(digits: .upper, marks: "-._~", writesSpaceAsPlus: false)

    /// The same with lower-case digits.
    static let lowerCase = PercentEncoding(digits: .lower, marks: "-._~", writesSpaceAsPlus: false)

    /// A query's value as forms have it: a plus sign for a space.
    package static let form = PercentEncoding(digits: .upper, marks: "-._~", writesSpaceAsPlus: true)

    /// What stands between two slashes of a path: all that may be there stands for itself (RFC 3986 §3.3).
    package static let pathSegment = PercentEncoding(
        digits: .upper, marks: "-._~!$&'()*+,;=:@", writesSpaceAsPlus: false)

    /// Some bytes in their encoded form, as ASCII.
    package func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let hexadecimal = Array((digits == .upper ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
        var text: [UInt8] = []
        for byte in bytes {
            if byte.isASCIILetterOrDigit || marks.utf8.contains(byte) {
                text.append(byte)
            } else if writesSpaceAsPlus, byte == UInt8(ascii: " ") {
                text.append(UInt8(ascii: "+"))
            } else {
                text += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
            }
        }
        return text
    }
}
