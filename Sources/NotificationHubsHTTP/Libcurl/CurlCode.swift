#if !canImport(Darwin)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The values of libcurl's `CURLcode` that this transport handles.
enum CurlCode {
    static let cannotResolveProxy: CInt = 5
    static let cannotResolveHost: CInt = 6
    static let cannotConnect: CInt = 7
    static let timedOut: CInt = 28
    /// `CURLE_ABORTED_BY_CALLBACK`: the pre-request callback rejected a resend.
    static let resendRejected: CInt = 42
    /// `CURLE_SEND_FAIL_REWIND`: the seek callback rejected a resend.
    static let rewindRejected: CInt = 65

    /// Returns whether the TLS handshake failed or the certificate was rejected.
    static func isTLSFailure(_ code: CInt) -> Bool {
        [35, 53, 54, 58, 59, 60, 66, 77, 80, 82, 83, 90, 91, 98].contains(code)
    }
}

/// Returns the system's description of an error number.
func systemText(_ number: Int) -> String {
    unsafe strerror(CInt(truncatingIfNeeded: number)).map { unsafe String(cString: $0) } ?? "error \(number)"
}
#endif
