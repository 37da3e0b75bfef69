extension HMAC {
    /// Where the states made from a key are, once for all copies of the value that uses them.
    ///
    /// Sendable although unchecked: nothing writes to the states between `init` and `deinit`, and in neither does any other
    /// thread have a reference.
    @safe final class KeyStorage: @unchecked Sendable {
        /// Read without a look at who else does: nobody writes while anyone can.
        @exclusivity(unchecked) private(set) var states: KeyStates
        let kernels: KernelChoice
        private let onWipe: (@Sendable (UnsafeRawBufferPointer) -> Void)?

        /// - Parameters:
        ///   - onWipe: is called with the states' memory after it was overwritten, and before it is released.
        ///   - absorb: absorbs the secret, right where the states are to stay.
        init(
            _ kernels: KernelChoice, _ onWipe: (@Sendable (UnsafeRawBufferPointer) -> Void)?,
            absorb: (inout KeyStates) -> Void
        ) {
            unsafe states = KeyStates()
            self.kernels = kernels
            unsafe self.onWipe = onWipe
            unsafe absorb(&states)
        }

        deinit {
            unsafe states.wipe(onWipe)
        }
    }
}
