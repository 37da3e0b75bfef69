/// An immutable value on the heap, which copies of the reference share.
final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
