/// What was found out about one thing, and how it is known.
struct Finding {
    /// Yes or no; `nil` if it was not found out.
    let answer: Bool?
    /// Why that is known, or is not.
    let why: String

    static func yes(_ why: String) -> Finding { Finding(answer: true, why: why) }
    static func no(_ why: String) -> Finding { Finding(answer: false, why: why) }
    static func unknown(_ why: String) -> Finding { Finding(answer: nil, why: why) }

    /// The answer in a word.
    func word(yes: String = "yes", no: String = "no") -> String {
        answer.map { $0 ? yes : no } ?? "unknown"
    }
}
