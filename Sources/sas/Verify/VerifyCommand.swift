import HubCommandLine
import SharedAccessSignature

/// `sas verify`: verifies one token, or one token per line.
enum VerifyCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let asJSON = arguments.flag(.json)
        let readsLines = arguments.flag(.lines)
        let ignoresPort = arguments.flag(.ignorePort)
        let url = try arguments.value(of: .resource)
        let leeway = try duration(of: .leeway, &arguments)
        let minimumLifetime = try duration(of: .minLifetime, &arguments)
        let maximumLifetime = try duration(of: .maxLifetime, &arguments)
        let givenNow = try TimeOptions.now(&arguments)
        let keys = try KeyOptions.parse(&arguments)
        guard !keys.isEmpty else { throw KeyOptions.missing }
        guard let url else { throw UsageError("missing --resource: pass the URL of the requested resource") }

        let resource: SASResource
        do {
            resource = try SASResource(url)
        } catch {
            throw UsageError("--resource: \(error)")
        }
        let checks = TokenChecks(
            keys, resource: resource, leeway: .seconds(leeway ?? 0),
            maximumLifetime: maximumLifetime.map { .seconds($0) },
            minimumLifetime: minimumLifetime ?? 0, ignoringPort: ignoresPort)

        for key in keys {
            key.warnAboutExtraCharacters()
            key.warnAboutOtherHost(url)
        }
        if readsLines {
            let operands = try arguments.operands()
            guard operands.isEmpty || operands == ["-"] else {
                throw UsageError("unexpected argument: --lines reads its tokens from standard input")
            }
            return try LineVerifier(checks: checks, now: givenNow).run()
        }
        let input = try TokenInput.read(&arguments)
        let verdicts = checks.verdicts(on: [input], now: givenNow ?? Clock.now())
        for verdict in verdicts {
            if let warning = verdict.warning { Console.error("sas: warning: \(warning)") }
            if asJSON {
                try Console.result(verdict.json)
            } else {
                try Console.result(verdict.lines)
            }
        }
        return verdicts.allSatisfy(\.isValid) ? .success : .failure
    }

    private static func duration(of option: OptionName, _ arguments: inout Arguments) throws(UsageError) -> Int64? {
        guard let text = try arguments.value(of: option) else { return nil }
        return try TimeOptions.seconds(text, of: option)
    }
}
