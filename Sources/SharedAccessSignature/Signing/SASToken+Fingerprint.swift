import HubCrypto
import HubText

extension SASToken {
    /// An identifier that does not reveal the signature: 16 hexadecimal digits, equal for equal signatures. `sas audit` prints it.
    package var fingerprint: String {
        let base64 = SignatureEncoding(PercentEncoding(digits: .upper, marks: "+/=", writesSpaceAsPlus: false))
        let text = unsafe [UInt8](unsafeUninitializedCapacity: SignatureEncoding.maximumByteCount) { text, end in
            unsafe end = base64.write(signature, to: UnsafeMutableRawBufferPointer(text), at: 0)
        }
        return String(SHA256.hash(data: text).description.prefix(16))
    }
}
