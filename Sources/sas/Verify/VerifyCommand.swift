import HubCommandLine
import HubText
import SharedAccessSignature

/// `sas verify`: says whether a token grants access to a resource, or each of many tokens does.
enum VerifyCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let asJSON = arguments.flag("--json")
        let readsLines = arguments.flag("--lines")
        let resource = try arguments.value(of: "--resource")
        let leeway = try duration(of: "--leeway", &arguments)
        let maximumLifetime = try duration(of: "--max-lifetime", &arguments)
        let givenNow = try TimeOptions.now(&arguments)
        let keys = try KeyOptions.take(from: &arguments, try GivenKey.SecretEncoding(&arguments))
        guard !keys.isEmpty else { throw KeyOptions.missing }
        guard let resource else { throw UsageError("--resource is missing: the URL that access is asked for") }

        let place: SASResource
        do {
            place = try SASResource(resource)
        } catch {
            throw UsageError("--resource is not valid: \(error)")
        }
        let verifier = try SASVerifier(
            keys: keys.map(\.key), leeway: leeway ?? .zero, maximumLifetime: maximumLifetime)

        keys.forEach { $0.warnOfSurroundings() }
        if readsLines {
            let operands = try arguments.operands()
            guard operands.isEmpty || operands == ["-"] else {
                throw UsageError("--lines reads standard input; a token beside it is one too many")
            }
            return try LineVerifier(verifier: verifier, resource: place, now: givenNow).run()
        }
        let text = try TokenInput.take(from: &arguments)
        let now = givenNow ?? Clock.now()
        let verdict = verdict(on: text, verifier, place, now: now)
        if asJSON {
            try Console.result(verdict.json)
        } else {
            try Console.result(verdict.lines(now: now))
        }
        return verdict.isValid ? .success : .failure
    }

    private static func verdict(
        on text: [UInt8], _ verifier: SASVerifier, _ resource: SASResource, now: Int64
    ) -> Verdict {
        do {
            let token = try SASToken(TokenInput.withoutHeaderName(text).lossyText)
            return Verdict(
                Result { () throws(SASVerifier.Refusal) in try verifier.verify(token, for: resource, now: now) })
        } catch {
            return .malformed(error)
        }
    }

    private static func duration(of option: String, _ arguments: inout Arguments) throws(UsageError) -> Duration? {
        guard let text = try arguments.value(of: option) else { return nil }
        return .seconds(try TimeOptions.seconds(text, of: option))
    }
}
