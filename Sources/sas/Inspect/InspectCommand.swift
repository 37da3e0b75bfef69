import HubCommandLine

/// `sas inspect`: explains a token, and what is wrong with it.
enum InspectCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let asJSON = arguments.flag("--json")
        let now = try TimeOptions.now(&arguments) ?? Clock.now()
        let encoding = try GivenKey.SecretEncoding(&arguments)
        let keys = try KeyOptions.take(from: &arguments, encoding)
        let text = try TokenInput.take(from: &arguments)

        let inspection = Inspection(text, keys: keys, encoding, now: now)
        if asJSON {
            try Console.result(inspection.json)
        } else {
            try Console.result(inspection.lines)
        }
        return inspection.isGood ? .success : .failure
    }
}
