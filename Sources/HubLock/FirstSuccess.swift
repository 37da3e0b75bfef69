/// A value that is created when it is first used. If that fails, the next use tries again, because the cause can be temporary,
/// such as too many open files.
package struct FirstSuccess<Value: Sendable, Failure: Error>: Sendable {
    private let value = Locked<Value?>(nil)
    private let make: @Sendable () throws(Failure) -> Value

    package init(_ make: @escaping @Sendable () throws(Failure) -> Value) {
        self.make = make
    }

    /// Returns the value.
    package func get() throws(Failure) -> Value {
        try value.withLock { value throws(Failure) in
            if let value { return value }
            let made = try make()
            value = made
            return made
        }
    }
}
