import NotificationHubs
import Testing

@Suite struct APIVersionTests {
    @Test(arguments: [
        "2013-04", "2013-07", "2013-08", "2013-10", "2014-09", "2015-01", "2015-04", "2015-08", "2016-07", "2017-04",
        "2020-06",
    ])
    func `accepts every version that clients of the service send`(version: String) throws {
        let scene = try Scene()
        #expect(try scene.call(.get, "/installations/x", "api-version=\(version)").status == 404)
        #expect(try scene.send(query: "direct=false&API-Version=\(version)").status == 201)
    }

    @Test(arguments: [
        "", "direct", "api-version", "api-version=", "api-version=2020-6", "api-version=2020-06x",
        "api-version=2020-07",
        "api-version=2023-09-01", "api-version=2023-10-01-preview", "api-version=2020-07&api-version=2020-06",
    ])
    func `rejects a missing or unknown version`(query: String) throws {
        let scene = try Scene()
        let response = try scene.call(.get, "/installations/x", query, ["x-ms-version": "2020-06"])
        #expect(response.status == 400)
        #expect(response.text.contains("api-version"))
        #expect(try scene.send(query: query).status == 400)
        #expect(scene.reached().isEmpty)
    }

    @Test func `checks the token before the version`() throws {
        #expect(try Scene().call(.get, "/installations/x", "", authorization: "x").status == 401)
    }
}
