/// The most recent distinct values, so that equal values share their memory. Equality must compare bytes.
///
/// Copies of an array share its memory. Equal arrays that were read from different requests do not.
struct SharedValues<Value: Equatable & Sendable>: Sendable {
    private var values: [Value] = []

    private static var maximumCount: Int { 16 }

    /// Returns an equal value that shares its memory, or the value itself.
    mutating func shared(_ value: Value) -> Value {
        if let equal = values.first(where: { $0 == value }) { return equal }
        if values.count == Self.maximumCount { values.removeFirst() }
        values.append(value)
        return value
    }
}
