import HubCommandLine

/// The question whether to do what a command is about to do.
enum Confirmation {
    /// Whether there is a terminal to ask on.
    static var isPossible: Bool { Console.readsTerminal && Terminal.showsErrors }

    /// Asks the user.
    ///
    /// - Returns: Whether to continue.
    /// - Throws: `CancellationError` if the task is cancelled.
    static func ask(_ question: String) throws -> Bool {
        Console.error("\(question) Type yes to continue:")
        let answer = try LineReader(.standardInput, maximumLength: 16, format: .interactive)
            .nextUnlessCancelled()
        return answer?.bytes.elementsEqual("yes".utf8) ?? false
    }
}
