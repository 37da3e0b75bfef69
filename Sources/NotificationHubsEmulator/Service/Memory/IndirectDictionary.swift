/// A dictionary of large values, which it stores outside its hash table: up to two thirds of the table's places are unused.
package struct IndirectDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private indirect enum Place: Sendable {
        case value(Value)

        var value: Value {
            switch self {
            case .value(let value): value
            }
        }
    }

    private var places: [Key: Place] = [:]

    package var count: Int { places.count }
    package var keys: some Collection<Key> { places.keys }
    package var values: some Collection<Value> { places.values.lazy.map(\.value) }

    package subscript(key: Key) -> Value? {
        get { places[key]?.value }
        set { places[key] = newValue.map { .value($0) } }
    }

    /// Returns the stored key that equals a key, or the key itself if there is none.
    func storedKey(_ key: Key) -> Key { places.index(forKey: key).map { places[$0].key } ?? key }
}
