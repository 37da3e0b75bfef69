/// A dictionary of large values, which it stores outside its hash table: up to two thirds of the table's places are unused.
package struct IndirectDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var boxes: [Key: Box<Value>] = [:]

    package var count: Int { boxes.count }
    package var keys: some Collection<Key> { boxes.keys }
    package var values: some Collection<Value> { boxes.values.lazy.map(\.value) }

    package subscript(key: Key) -> Value? {
        get { boxes[key]?.value }
        set { boxes[key] = newValue.map(Box.init) }
    }

    /// Returns the box of a key's value; `nil` if there is none.
    func box(for key: Key) -> Box<Value>? { boxes[key] }

    /// Returns the stored key that equals a key, or the key itself if there is none.
    func storedKey(_ key: Key) -> Key { boxes.index(forKey: key).map { boxes[$0].key } ?? key }
}
