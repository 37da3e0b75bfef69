import HubCommandLine
import SharedAccessSignature

/// `sas sign`: makes a token.
enum SignCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let asJSON = arguments.flag("--json")
        let resource = try arguments.value(of: "--resource")
        let hub = try arguments.value(of: "--hub")
        let encoding = try encoding(named: try arguments.value(of: "--encoding") ?? "standard")
        let expires = try arguments.value(of: "--expires") ?? "+1h"
        let now = try TimeOptions.now(&arguments) ?? Clock.now()
        let keys = try KeyOptions.take(from: &arguments, try GivenKey.SecretEncoding(&arguments))
        try arguments.finish()

        let expiry = try TimeOptions.expiry(expires, now: now)
        guard let key = keys.first else { throw KeyOptions.missing }
        guard keys.count == 1 else { throw UsageError("a token is signed with one key, and there are \(keys.count)") }

        key.warnOfSurroundings()
        let place = try place(resource, hub: hub, key)
        warn(of: place, expiry, now: now)
        let signer = SASSigner(key: key.key, resource: place, encoding: encoding)
        let token = signer.token(expiringAt: expiry)
        do {
            _ = try SASToken(token.headerValue)
        } catch {
            throw UsageError("nobody would take such a token: \(error)")
        }
        try write(token, key, asJSON: asJSON)
        return .success
    }

    /// Warns about a token that cannot be used.
    private static func warn(of resource: String, _ expiry: Int64, now: Int64) {
        do {
            _ = try SASResource(resource)
        } catch {
            Console.error("sas: warning: no request can be for this resource: \(error)")
        }
        if expiry <= now {
            Console.error("sas: warning: the token has ended already")
        } else if expiry > 253_402_300_799 {
            Console.error(
                "sas: warning: the token ends behind the year 9999: --expires counts seconds, not milliseconds")
        }
    }

    private static func write(_ token: SASToken, _ key: GivenKey, asJSON: Bool) throws(Console.Unwritable) {
        guard asJSON else { return try Console.result([token.headerValue]) }
        let claims = token.unverifiedClaims
        var object = JSONOutput()
        object.add("token", token.headerValue)
        object.add("resource", claims.resource)
        object.add("keyName", key.name)
        object.add("expires", claims.expiry)
        try Console.result(object)
    }

    /// The resource: the given URL, or that of the connection string.
    private static func place(_ resource: String?, hub: String?, _ key: GivenKey) throws(UsageError) -> String {
        if let resource {
            guard hub == nil else { throw UsageError("--resource and --hub say the same thing: leave one") }
            guard !resource.isEmpty else { throw UsageError("--resource is empty") }
            return resource
        }
        guard let connection = key.connection else {
            throw UsageError(
                hub == nil
                    ? "--resource is missing: the URL that the token is for"
                    : "--hub goes with --connection-string-env, which says where the hub is")
        }
        if let hub, hub.isEmpty { throw UsageError("--hub is empty") }
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
            throw UsageError("the encoding \(Arguments.quoted(name)) is unknown; there are \(names)")
        }
        return encoding
    }
}
