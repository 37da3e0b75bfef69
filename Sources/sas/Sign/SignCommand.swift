import HubCommandLine
import SharedAccessSignature

/// `sas sign`: signs a token.
enum SignCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let asJSON = arguments.flag("--json")
        let url = try arguments.value(of: "--resource")
        let hub = try arguments.value(of: "--hub")
        let encoding = try encoding(named: try arguments.value(of: "--encoding") ?? "standard")
        let expires = try arguments.value(of: "--expires") ?? "+1h"
        let now = try TimeOptions.now(&arguments) ?? Clock.now()
        let keys = try KeyOptions.parse(&arguments, try PolicyKey.SecretEncoding(&arguments))
        try arguments.finish()

        let expiry = try TimeOptions.expiry(expires, now: now)
        guard let key = keys.first else { throw KeyOptions.missing }
        guard keys.count == 1 else { throw UsageError("\(keys.count) keys given: pass one key to sign with") }

        key.warnAboutExtraCharacters()
        if let url { key.warnAboutOtherHost(url) }
        let resource = try resource(url, hub: hub, key)
        warnIfUnusable(resource, expiry, now: now)
        let signer = SASSigner(key: key.key, resource: resource, encoding: encoding)
        let token = signer.token(expiringAt: expiry)
        do {
            _ = try SASToken(token.headerValue)
        } catch {
            throw UsageError("the token would be invalid: \(error)")
        }
        try write(token, key, asJSON: asJSON)
        return .success
    }

    /// Warns if no request can use the token, or if the expiry is probably in milliseconds.
    private static func warnIfUnusable(_ resource: String, _ expiry: Int64, now: Int64) {
        do {
            _ = try SASResource(resource)
        } catch {
            Console.error("sas: warning: the token matches no request: \(error)")
        }
        if expiry <= now {
            Console.error("sas: warning: the token has already expired")
        } else if expiry > 253_402_300_799 {
            Console.error(
                "sas: warning: the token expires after the year 9999: --expires takes seconds, not milliseconds")
        }
    }

    /// Writes the token as text or JSON.
    private static func write(_ token: SASToken, _ key: PolicyKey, asJSON: Bool) throws(Console.WriteError) {
        guard asJSON else { return try Console.result([token.headerValue]) }
        let claims = token.unverifiedClaims
        var object = JSONOutput()
        object.add("token", token.headerValue)
        object.add("resource", claims.resource)
        object.add("keyName", key.name)
        object.add("expires", claims.expiry)
        try Console.result(object)
    }

    /// Returns the resource to sign: the given URL, or the hub or namespace of the connection string.
    private static func resource(_ url: String?, hub: String?, _ key: PolicyKey) throws(UsageError) -> String {
        if let url {
            guard hub == nil else { throw UsageError("--resource and --hub cannot be combined: remove one") }
            guard !url.isEmpty else { throw UsageError("--resource must not be empty") }
            return url
        }
        guard let connection = key.connection else {
            throw UsageError(
                hub == nil
                    ? "missing --resource: pass the URL that the token grants access to"
                    : "--hub requires --connection-string-env, which contains the endpoint")
        }
        if let hub, hub.isEmpty { throw UsageError("--hub must not be empty") }
        guard let hub = hub ?? connection.entityPath else { return "https://\(connection.endpoint.host)/" }
        do {
            return try connection.endpoint.hubResource(named: hub)
        } catch {
            throw UsageError("\(error)")
        }
    }

    private static func encoding(named name: String) throws(UsageError) -> SASEncoding {
        guard let encoding = SASEncoding.allCases.first(where: { $0.rawValue == name }) else {
            let names = SASEncoding.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--encoding: unknown encoding: \(Arguments.quoted(name)) (allowed: \(names))")
        }
        return encoding
    }
}
