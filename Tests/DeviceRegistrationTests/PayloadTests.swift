import DeviceRegistration
import NotificationHubs
import Testing

@Suite("DeviceRegistrar payloads")
struct PayloadTests {
    private let id: DeviceRegistrar.Payload.ID

    init() throws {
        id = try DeviceRegistrar.Payload.ID(validating: "a1-B2_c3")
    }

    @Test(
        "parses a response with a string or number ID, ignoring the case of names",
        arguments: [
            (#"{"Id":"a1-B2_c3","Payload":"meet at 9"}"#, "a1-B2_c3"), (#"{"Id":17,"Payload":"meet at 9"}"#, "17"),
            (#"{"payload":"meet at 9","id":17,"more":null}"#, "17"),
        ])
    func responses(json: String, id text: String) async throws {
        let backend = ScriptedBackend(.json(json))
        let payload = try await backend.registrar().securePayload(DeviceRegistrar.Payload.ID(validating: text))
        #expect(payload.text == "meet at 9")
        #expect(payload.id.rawValue == text)
        #expect(backend.lines == ["GET /api/notifications/\(text)"])
    }

    @Test("sends the registration's ID as the device")
    func device() async throws {
        let backend = ScriptedBackend(.json(#"{"Id":"a1-B2_c3","Payload":"meet at 9"}"#))
        let storage = MemoryRegistrationIDStorage(try Registration.ID(validating: "1-2-3"))
        _ = try await backend.registrar(storage).securePayload(id)
        #expect(backend.lines == ["GET /api/notifications/a1-B2_c3?device=1-2-3"])
    }

    @Test("sends a message to the user's own devices")
    func notifying() async throws {
        let backend = ScriptedBackend(.ok)
        try await backend.registrar().notifyOwnDevices("meet at \"9\"")
        #expect(backend.lines == [#"POST /api/notifications {"message":"meet at \"9\""}"#])
    }

    @Test(
        "rejects an invalid response",
        arguments: [
            "", "[]", #"{"Id":"a1-B2_c4","Payload":"x"}"#, #"{"Id":"1"}"#, #"{"Payload":"x"}"#,
            #"{"Id":"1","Payload":2}"#, #"{"Id":{},"Payload":"x"}"#,
        ])
    func invalidResponses(json: String) async throws {
        let backend = ScriptedBackend(.json(json))
        await #expect { try await backend.registrar().securePayload(id) } throws: { error in
            (error as? DeviceRegistrationError)?.code == .invalidResponse
        }
    }

    @Test("requires authentication without sending a request if the credential is missing")
    func noCredential() async throws {
        let backend = ScriptedBackend(.json("{}"))
        let registrar = try backend.registrar(credential: { nil })
        await #expect { try await registrar.securePayload(id) } throws: { error in
            (error as? DeviceRegistrationError)?.code == .needsAuthentication
        }
        #expect(backend.requests.isEmpty)
    }

    @Test(
        "maps a status to an error code",
        arguments: [
            (401, DeviceRegistrationError.Code.needsAuthentication), (403, .forbidden), (404, .notFound), (410, .gone),
            (400, .badRequest),
            (429, .unavailable), (501, .unavailable), (503, .unavailable), (599, .unavailable),
            (408, .mayHaveBeenDone), (500, .mayHaveBeenDone), (502, .mayHaveBeenDone), (504, .mayHaveBeenDone),
            (302, .invalidResponse),
        ])
    func statuses(status: Int, code: DeviceRegistrationError.Code) async throws {
        let backend = ScriptedBackend(.status(status))
        await #expect { try await backend.registrar().securePayload(id) } throws: { error in
            (error as? DeviceRegistrationError)?.code == code
        }
    }

    @Test("rejects an invalid ID", arguments: ["", "..", "a/b", "a?b", "%2e%2e", "é", "a b"])
    func ids(text: String) {
        #expect(throws: HubValidationError.self) { try DeviceRegistrar.Payload.ID(validating: text) }
    }

    @Test("redacts payload and credential in descriptions")
    func redaction() async throws {
        let backend = ScriptedBackend(.json(#"{"Id":"a1-B2_c3","Payload":"meet at 9"}"#))
        let registrar = try backend.registrar(credential: { try .basic(name: "anna", password: "open sesame") })
        let payload = try await registrar.securePayload(id)
        let credential = try DeviceRegistrar.Credential.basic(name: "anna", password: "open sesame")
        for output in [
            String(reflecting: payload), "\(payload)", dumped(payload), dumped(credential), "\(credential)",
            dumped(registrar),
        ] {
            #expect(!output.contains("meet") && !output.contains("YW5uYTpvcGVu") && !output.contains("sesame"))
        }
        #expect(backend.requests.first?.headers["Authorization"] == "Basic YW5uYTpvcGVuIHNlc2FtZQ==")
    }

    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }
}
