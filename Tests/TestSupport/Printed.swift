/// Returns the output of all ways to print a value: `print`, interpolation, debug descriptions, `dump`, alone and in containers, the
/// mirrors down to their leaves, and a failed assertion's message.
public func everythingPrinted(of value: Any) -> String {
    var printed = ""
    print(value, to: &printed)
    debugPrint(value, to: &printed)
    dump(value, to: &printed)
    print([value], "\(value)", "\([value as Any?])", separator: "\n", to: &printed)
    dump([value as Any?], to: &printed)
    print("failed: (\"\(value)\") is not equal to (\"\(String(reflecting: value))\")", to: &printed)
    printLeaves(of: value, depth: 0, to: &printed)
    return printed
}

extension String {
    /// Returns whether the text contains one of some secrets.
    ///
    /// Call this function before `#expect`: the message of a failed expectation shows the operands, and so the secrets.
    public func containsAny(of secrets: [String]) -> Bool {
        secrets.contains { contains($0) }
    }
}

/// Prints the leaves of a value's mirror, and bytes as text.
private func printLeaves(of value: Any, depth: Int, to printed: inout String) {
    if let bytes = value as? [UInt8] { print(String(decoding: bytes, as: UTF8.self), to: &printed) }
    // A cycle of references ends here.
    guard depth < 24 else { return }
    var mirror: Mirror? = Mirror(reflecting: value)
    while let current = mirror {
        if current.children.isEmpty { print(value, to: &printed) }
        for child in current.children {
            print(child.label ?? "", to: &printed)
            printLeaves(of: child.value, depth: depth + 1, to: &printed)
        }
        mirror = current.superclassMirror
    }
}
