/// A dictionary of large values, which it stores outside its hash table: up to two thirds of the table's places are unused.
package struct IndirectDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var places: [Key: Shared<Value>] = [:]

    package var count: Int { places.count }
    package var keys: some Collection<Key> { places.keys }
    package var values: some Collection<Value> { places.values.lazy.map(\.value) }

    package subscript(key: Key) -> Value? {
        get { places[key]?.value }
        set { places[key] = newValue.map(Shared.init) }
    }

    /// Returns the place of a key's value.
    func shared(_ key: Key) -> Shared<Value>? { places[key] }

    /// Returns the stored key that equals a key, or the key itself if there is none.
    func storedKey(_ key: Key) -> Key { places.index(forKey: key).map { places[$0].key } ?? key }
}

/// A value in memory of its own. Copies of the reference share it.
final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
