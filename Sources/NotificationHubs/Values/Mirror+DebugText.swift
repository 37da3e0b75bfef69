extension Mirror {
    /// Returns a value's type and properties, as `debugPrint` does for a type without descriptions.
    package static func debugText(of value: some Any) -> String {
        let properties = Mirror(reflecting: value).children.map { label, value in
            "\(label.map { "\($0): " } ?? "")\(String(reflecting: value))"
        }
        return "\(String(reflecting: type(of: value)))(\(properties.joined(separator: ", ")))"
    }
}
