/// A percent-encoding (RFC 3986 §2.1): the case of its digits, its unescaped characters and its form of a space.
package struct PercentEncoding: Hashable, Sendable {
    let digits: HexDigitCase
    /// The unescaped characters in addition to letters and digits.
    let marks: String
    /// Whether a space is encoded as a plus sign, as in HTML forms.
    package let writesSpaceAsPlus: Bool

    /// Creates an encoding.
    package init(digits: HexDigitCase, marks: String, writesSpaceAsPlus: Bool) {
        self.digits = digits
        self.marks = marks
        self.writesSpaceAsPlus = writesSpaceAsPlus
    }

    /// RFC 3986 with upper-case digits (§2.1) and only unreserved characters unescaped (§2.3).
    package static let rfc3986 = PercentEncoding(digits: .upper, marks: "-._~", writesSpaceAsPlus: false)

    /// RFC 3986 with lower-case digits.
    package static let lowerCase = PercentEncoding(digits: .lower, marks: "-._~", writesSpaceAsPlus: false)

    /// The encoding of query values: RFC 3986, but with a plus sign for a space, as in HTML forms.
    package static let form = PercentEncoding(digits: .upper, marks: "-._~", writesSpaceAsPlus: true)

    /// The encoding of a path segment, which escapes only what is required (RFC 3986 §3.3).
    package static let pathSegment = PercentEncoding(
        digits: .upper, marks: "-._~!$&'()*+,;=:@", writesSpaceAsPlus: false)

    /// The encoding of a path with several segments: RFC 3986, but with slashes unescaped.
    package static let path = PercentEncoding(digits: .upper, marks: "-._~/", writesSpaceAsPlus: false)

    /// Returns the encoded bytes, in ASCII.
    package func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        for byte in bytes {
            if byte.isASCIILetterOrDigit || marks.utf8.contains(byte) {
                text.append(byte)
            } else if writesSpaceAsPlus, byte == UInt8(ascii: " ") {
                text.append(UInt8(ascii: "+"))
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(hexDigitsOf: byte, digits)
            }
        }
        return text
    }
}
