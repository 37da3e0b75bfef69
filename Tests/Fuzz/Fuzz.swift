import Glibc

/// What libFuzzer calls with every input. Which part of the library gets it, the variable `HUB_FUZZ_PART` says.
///
/// Each part compares the library with a plain implementation of the same rules; a difference ends the program.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    part.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// A part of the library, by the name of its folder in `Fixtures/fuzz`.
private enum Part: String {
    case token
    case connectionString = "connection-string"
    case percent
    case resource
    case audit
    case xml
    case json
    case expression
    case http
    case registration

    func check(_ input: [UInt8]) {
        switch self {
        case .token: TokenPart.check(input)
        case .connectionString: ConnectionStringPart.check(input)
        case .percent: PercentPart.check(input)
        case .resource: ResourcePart.check(input)
        case .audit: AuditPart.check(input)
        case .xml: XMLPart.check(input)
        case .json: JSONPart.check(input)
        case .expression: ExpressionPart.check(input)
        case .http: HTTPPart.check(input)
        case .registration: RegistrationPart.check(input)
        }
    }
}

private let part: Part = {
    guard let name = unsafe getenv("HUB_FUZZ_PART"), let part = unsafe Part(rawValue: String(cString: name)) else {
        fatalError("HUB_FUZZ_PART names no part")
    }
    return part
}()

/// Ends the program if the library is wrong; libFuzzer then keeps the input.
func require(_ condition: @autoclosure () -> Bool, _ rule: @autoclosure () -> String) {
    if !condition() { fatalError("broken: \(rule())") }
}

extension [UInt8] {
    /// The bytes as text; those that are no UTF-8 are replaced.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The parts before and behind the first line feed.
    var halves: (Self, Self) {
        let first = prefix { $0 != UInt8(ascii: "\n") }
        return (Array(first), Array(dropFirst(first.count + 1)))
    }
}
