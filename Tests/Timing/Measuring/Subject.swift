/// An operation to measure, with a batch of inputs of two classes.
protocol Subject: AnyObject {
    /// The number of operations so far with an unexpected result.
    var failureCount: Int { get }

    /// Creates the input at an index of the batch.
    func prepare(_ index: Int, isFixed: Bool, _ generator: inout Generator) throws

    /// Copies the input to where the operation reads it, so that both classes use the same memory.
    func load(_ index: Int)

    /// Performs the operation on the loaded input. This is the measured part.
    func run()
}

/// The inputs that are prepared together.
enum Batch {
    /// The number of inputs. All of them fit in the processor's second-level cache.
    static let count = 256
}

/// A fast random number generator, for inputs (SplitMix64).
struct Generator: RandomNumberGenerator {
    private var state = UInt64.random(in: .min ... .max)

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// An operation on bytes.
@safe final class ByteSubject: Subject {
    private let fixed: [UInt8]
    private let inputs: UnsafeMutableRawBufferPointer
    private let loaded: UnsafeMutableRawBufferPointer
    private let operation: (UnsafeMutableRawPointer) -> Bool
    private(set) var failureCount = 0

    /// Creates a subject.
    ///
    /// - Parameters:
    ///   - fixed: The fixed input; its length is a multiple of 8.
    ///   - operation: Performs the operation on 64-byte aligned memory, and returns whether the result is as expected.
    init(fixed: [UInt8], operation: @escaping (UnsafeMutableRawPointer) -> Bool) {
        self.fixed = fixed
        unsafe inputs = .allocate(byteCount: Batch.count * fixed.count, alignment: 64)
        unsafe loaded = .allocate(byteCount: fixed.count, alignment: 64)
        unsafe self.operation = operation
    }

    deinit {
        unsafe inputs.deallocate()
        unsafe loaded.deallocate()
    }

    func prepare(_ index: Int, isFixed: Bool, _ generator: inout Generator) {
        let input = unsafe UnsafeMutableRawBufferPointer(rebasing: inputs[(index * fixed.count)...].prefix(fixed.count))
        if isFixed {
            unsafe input.copyBytes(from: fixed)
        } else {
            for offset in stride(from: 0, to: input.count, by: 8) {
                unsafe input.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
            }
        }
    }

    func load(_ index: Int) {
        unsafe loaded.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: inputs[(index * fixed.count)...].prefix(fixed.count)))
    }

    @inline(never)
    func run() {
        failureCount += unsafe operation(loaded.baseAddress.unsafelyUnwrapped) ? 0 : 1
    }
}

/// An operation on values that are created anew for each measurement.
final class ValueSubject<Input>: Subject {
    private let makeInput: (_ isFixed: Bool, inout Generator) throws -> Input
    private let operation: (Input) -> Bool
    private var inputs: [Input]
    private var loaded: Input
    private(set) var failureCount = 0

    /// Creates a subject.
    ///
    /// - Parameters:
    ///   - makeInput: Creates a new input of a class.
    ///   - operation: Performs the operation, and returns whether the result is as expected.
    init(makeInput: @escaping (_ isFixed: Bool, inout Generator) throws -> Input, operation: @escaping (Input) -> Bool)
        throws
    {
        self.makeInput = makeInput
        self.operation = operation
        var generator = Generator()
        inputs = try (0..<Batch.count).map { _ in try makeInput(true, &generator) }
        loaded = inputs[0]
    }

    func prepare(_ index: Int, isFixed: Bool, _ generator: inout Generator) throws {
        inputs[index] = try makeInput(isFixed, &generator)
    }

    func load(_ index: Int) {
        loaded = inputs[index]
    }

    @inline(never)
    func run() {
        failureCount += operation(loaded) ? 0 : 1
    }
}
