import DeviceRegistration
import HubTestSupport
import NotificationHubs
import Testing

@Suite struct PayloadTests {
    private let id: DeviceRegistrar.Payload.ID

    init() throws {
        id = try DeviceRegistrar.Payload.ID(validating: "a1-B2_c3")
    }

    @Test(arguments: [
        (#"{"Id":"a1-B2_c3","Payload":"meet at 9"}"#, "a1-B2_c3"), (#"{"Id":17,"Payload":"meet at 9"}"#, "17"),
        (#"{"payload":"meet at 9","id":17,"more":null}"#, "17"),
    ])
    func `parses a response with a string or number ID, ignoring the case of names`(json: String, id text: String)
        async throws
    {
        let backend = ScriptedBackend(.json(json))
        let payload = try await backend.registrar().securePayload(DeviceRegistrar.Payload.ID(validating: text))
        #expect(payload.text == "meet at 9")
        #expect(payload.id.rawValue == text)
        #expect(backend.lines == ["GET /api/notifications/\(text)"])
    }

    @Test func `sends the registration's ID as the device`() async throws {
        let backend = ScriptedBackend(.json(#"{"Id":"a1-B2_c3","Payload":"meet at 9"}"#))
        let storage = MemoryRegistrationIDStorage(try Registration.ID(validating: "1-2-3"))
        _ = try await backend.registrar(storage).securePayload(id)
        #expect(backend.lines == ["GET /api/notifications/a1-B2_c3?device=1-2-3"])
    }

    @Test func `sends a message to the user's own devices`() async throws {
        let backend = ScriptedBackend(.ok)
        try await backend.registrar().notifyOwnDevices("meet at \"9\"")
        #expect(backend.lines == [#"POST /api/notifications {"message":"meet at \"9\""}"#])
    }

    @Test(arguments: [
        "", "[]", #"{"Id":"a1-B2_c4","Payload":"x"}"#, #"{"Id":"1"}"#, #"{"Payload":"x"}"#,
        #"{"Id":"1","Payload":2}"#, #"{"Id":{},"Payload":"x"}"#,
    ])
    func `rejects an invalid response`(json: String) async throws {
        let backend = ScriptedBackend(.json(json))
        await #expect { try await backend.registrar().securePayload(id) } throws: { error in
            (error as? DeviceRegistrationError)?.code == .invalidResponse
        }
    }

    @Test func `requires authentication without sending a request if the credential is missing`() async throws {
        let backend = ScriptedBackend(.json("{}"))
        let registrar = try backend.registrar(credential: { nil })
        await #expect { try await registrar.securePayload(id) } throws: { error in
            (error as? DeviceRegistrationError)?.code == .needsAuthentication
        }
        #expect(backend.requests.isEmpty)
    }

    @Test(arguments: [
        (401, DeviceRegistrationError.Code.needsAuthentication), (403, .forbidden), (404, .notFound), (410, .gone),
        (400, .badRequest), (413, .badRequest), (415, .badRequest), (422, .badRequest),
        (429, .unavailable), (501, .unavailable), (503, .unavailable), (599, .unavailable),
        (408, .mayHaveBeenDone), (500, .mayHaveBeenDone), (502, .mayHaveBeenDone), (504, .mayHaveBeenDone),
        (302, .invalidResponse),
    ])
    func `maps a status to an error code`(status: Int, code: DeviceRegistrationError.Code) async throws {
        let backend = ScriptedBackend(.status(status))
        await #expect { try await backend.registrar().securePayload(id) } throws: { error in
            (error as? DeviceRegistrationError)?.code == code
        }
    }

    @Test(arguments: ["", "..", "a/b", "a?b", "%2e%2e", "é", "a b"])
    func `rejects an invalid ID`(text: String) {
        #expect(throws: HubValidationError.self) { try DeviceRegistrar.Payload.ID(validating: text) }
    }

    @Test func `redacts payload and credential in descriptions`() async throws {
        let backend = ScriptedBackend(.json(#"{"Id":"a1-B2_c3","Payload":"meet at 9"}"#))
        let registrar = try backend.registrar(credential: { try .basic(name: "anna", password: "open sesame") })
        let payload = try await registrar.securePayload(id)
        let credential = try DeviceRegistrar.Credential.basic(name: "anna", password: "open sesame")
        for value in [payload, credential, registrar] as [Any] {
            let showsSecret = everythingPrinted(of: value).containsAny(of: ["meet", "YW5uYTpvcGVu", "sesame"])
            #expect(!showsSecret, "\(type(of: value)) shows a secret")
        }
        #expect(backend.requests.first?.headers["Authorization"] == "Basic YW5uYTpvcGVuIHNlc2FtZQ==")
    }
}
