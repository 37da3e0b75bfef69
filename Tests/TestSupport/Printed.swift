/// Returns the output of all ways to print a value: `print`, interpolation, debug descriptions and `dump`, alone and in
/// containers.
public func everythingPrinted(of value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    var inContainers = ""
    dump([value as Any?], to: &inContainers)
    return "\(value)\n\(String(reflecting: value))\n\([value])\n\(dumped)\n\(inContainers)"
}
