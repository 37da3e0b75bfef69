import Glibc

/// The entry point that libFuzzer calls with each input. The environment variable `HUB_FUZZ_PART` names the part of the
/// library to test.
///
/// Each part compares the library with a naive implementation of the same rules; a difference ends the program.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    part.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// A part of the library, named after its directory in `Fixtures/fuzz`.
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
        fatalError("HUB_FUZZ_PART: missing or unknown part")
    }
    return part
}()

/// Ends the program if a condition is false; libFuzzer then saves the input.
func require(_ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String) {
    if !condition() { fatalError("fuzz failure: \(message())") }
}

extension [UInt8] {
    /// The bytes as a string, with invalid UTF-8 replaced.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The bytes before and after the first line feed.
    var halves: (Self, Self) {
        let first = prefix { $0 != UInt8(ascii: "\n") }
        return (Array(first), Array(dropFirst(first.count + 1)))
    }
}
