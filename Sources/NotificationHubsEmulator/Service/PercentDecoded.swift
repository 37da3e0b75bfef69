import SharedAccessSignature

extension StringProtocol {
    /// The text, each escape read once.
    func percentDecoded(readsPlusAsSpace: Bool = false) -> String {
        let bytes = Array(utf8)
        var decoding = PercentDecoding(bytes.indices, readsPlusAsSpace: readsPlusAsSpace)
        return String(decoding: decoding.rest(in: bytes.span), as: UTF8.self)
    }
}
