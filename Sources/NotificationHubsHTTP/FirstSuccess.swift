import HubLock

/// A value that is created when it is first used. If that fails, the next use tries again, because the cause can be temporary,
/// such as too many open files.
struct FirstSuccess<Value: Sendable, Failure: Error>: Sendable {
    private let value = Locked<Value?>(nil)
    private let make: @Sendable () throws(Failure) -> Value

    init(_ make: @escaping @Sendable () throws(Failure) -> Value) {
        self.make = make
    }

    /// Returns the value.
    func get() throws(Failure) -> Value {
        try value.withLock { value throws(Failure) in
            if let value { return value }
            let made = try make()
            value = made
            return made
        }
    }
}
