import HubCrypto

/// Comparisons that stop at the first difference, which the check must find.
enum PlantedFault {
    static var cases: [Case] {
        let key = CodeCases.key()
        let expected = key.authenticationCode(for: CodeCases.message)
        return unsafe [
            CodeCases.receivedCode("planted/comparison", isPlanted: true, expected) { received in
                unsafe expected.withUnsafeBytes { unsafe earlyExit($0, received) }
            },
            CodeCases.receivedCode("planted/hmac-verify", isPlanted: true, expected) { received in
                let code = key.authenticationCode(for: CodeCases.message)
                return unsafe code.withUnsafeBytes { unsafe earlyExit($0, received) }
            },
        ]
    }

    @inline(never)
    private static func earlyExit(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        for index in left.indices where unsafe left[index] != right[index] { return false }
        return true
    }
}
