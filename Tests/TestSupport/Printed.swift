/// All that a value shows of itself: by `print`, in an interpolation, to a debugger and by `dump`.
public func everythingPrinted(of value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    var inContainers = ""
    dump([value as Any?], to: &inContainers)
    return "\(value)\n\(String(reflecting: value))\n\([value])\n\(dumped)\n\(inContainers)"
}
