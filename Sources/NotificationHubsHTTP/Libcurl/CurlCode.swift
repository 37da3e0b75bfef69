#if !canImport(Darwin)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// `CURLcode`: libcurl's error numbers, those that have a text of their own here.
enum CurlCode {
    static let cannotResolveProxy: CInt = 5
    static let cannotResolveHost: CInt = 6
    static let cannotConnect: CInt = 7
    static let timedOut: CInt = 28
    /// `CURLE_ABORTED_BY_CALLBACK`: the pre-request callback refused a resend.
    static let sendRefused: CInt = 42
    /// `CURLE_SEND_FAIL_REWIND`: the seek callback refused a resend.
    static let rewindRefused: CInt = 65

    /// Whether no TLS connection was made, or the certificate was not accepted.
    static func isTLSFailure(_ code: CInt) -> Bool {
        [35, 53, 54, 58, 59, 60, 66, 77, 80, 82, 83, 90, 91, 98].contains(code)
    }
}

/// The system's text for an error number.
func systemText(_ number: Int) -> String {
    unsafe strerror(CInt(truncatingIfNeeded: number)).map { unsafe String(cString: $0) } ?? "error \(number)"
}
#endif
