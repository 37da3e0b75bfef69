import HubCommandLine
import SharedAccessSignature

/// `sas sign`: signs a token.
enum SignCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let asJSON = arguments.flag(.json)
        let url = try arguments.value(of: .resource)
        let hub = try arguments.value(of: .hub)
        let encodingName = try arguments.value(of: .encoding)
        let expires = try arguments.value(of: .expires) ?? "+1h"
        let now = try TimeOptions.now(&arguments) ?? Clock.now()
        let keys = try KeyOptions.parse(&arguments)
        try arguments.finish()

        let expiry = try TimeOptions.expiry(expires, now: now)
        guard let key = keys.first else { throw KeyOptions.missing }
        guard keys.count == 1 else { throw UsageError("\(keys.count) keys given: pass one key to sign with") }

        try key.checkForSigning()
        key.warnAboutExtraCharacters()
        if let url { key.warnAboutOtherHost(url) }
        let resource = try resource(url, hub: hub, key)
        warnIfUnusable(resource, expiry, now: now)
        let encoding = SASEncoding.allCases.first { $0.rawValue == encodingName } ?? .standard
        let token = try token(key.key, resource, encoding, expiry: expiry)
        if asJSON {
            var object = JSONOutput()
            object.add("token", token.headerValue)
            object.add("resource", token.unverifiedClaims.resource)
            object.add("keyName", key.policy)
            object.add("expires", expiry)
            try Console.result(object)
        } else {
            try Console.result([token.headerValue])
        }
        return .success
    }

    /// Signs a token.
    private static func token(
        _ key: SharedAccessKey, _ resource: String, _ encoding: SASEncoding, expiry: Int64
    ) throws(UsageError) -> SASToken {
        guard !IoTHubResource(Array(resource.utf8)).isInDomain else {
            throw UsageError("the resource is in IoT Hub, whose tokens sas does not sign")
        }
        do throws(SASTokenError) {
            let signer = SASSigner(key: key, resource: resource, encoding: encoding)
            return try SASToken(signer.token(expiringAt: expiry).headerValue)
        } catch {
            throw UsageError("the token would be invalid: \(error)")
        }
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

    /// Returns the resource to sign: the given URL, or the connection string's.
    private static func resource(_ url: String?, hub: String?, _ key: GivenKey) throws(UsageError) -> String {
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
        return try connection.resource(hub: hub)
    }
}
