import HubText

extension SASToken {
    /// What all tokens of a signer have in common.
    struct Template: Sendable {
        /// The text up to the signature, `SharedAccessSignature sr=…&sig=`.
        let head: [UInt8]
        /// Where the resource stands in it.
        let rawResource: Range<Int>
        /// The text from the key's name's field on, `&skn=…`.
        let tail: [UInt8]
        let signatureCharacters: SignatureCharacters

        init(resourceText: [UInt8], keyNameText: [UInt8], signatureCharacters: SignatureCharacters) {
            let start = Array("SharedAccessSignature sr=".utf8)
            head = start + resourceText + Array("&sig=".utf8)
            rawResource = start.count..<(start.count + resourceText.count)
            tail = Self.keyNameField + keyNameText
            self.signatureCharacters = signatureCharacters
        }

        /// What stands before the key's name.
        static let keyNameField = Array("&skn=".utf8)

        /// The resource as tokens spell it.
        var resourceText: String { String(decoding: head[rawResource], as: UTF8.self) }
    }

    /// What six bits of a signature become: a character of base64, or the escape of one.
    struct SignatureCharacters: Sendable {
        /// For each value the text's bytes from the lowest on, and their number in the highest.
        let characters: [UInt32]
        /// The escape of the padding, `=`.
        let padding: UInt32

        init(_ encoding: PercentEncoding) {
            func packed(_ character: UInt8) -> UInt32 {
                let text = encoding.encode([character])
                return text.reversed().reduce(0) { $0 << 8 | UInt32($1) } | UInt32(text.count) << 24
            }
            characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8).map(packed)
            padding = packed(UInt8(ascii: "="))
        }
    }
}
