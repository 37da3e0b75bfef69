/// Replaces `getauxval` at link time, to simulate a processor without Arm's extensions. All of qemu's processors have SHA-2.
@_cdecl("__wrap_getauxval")
func noCapabilities(_ type: UInt) -> UInt { 0 }
