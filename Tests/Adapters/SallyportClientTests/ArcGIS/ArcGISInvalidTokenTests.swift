import LiveServers
import Sallyport
import SallyportClient
import TestSupport
import Testing

/// Tokens that a server refuses in the body of a success, and those that are there before it asks: rows 47 and 48.
@Suite(.inTurn, .serialized, .needs(.python))
struct ArcGISInvalidTokenTests {
    private let world: ArcGISWorld

    init() throws { world = try ArcGISWorld() }

    @Test("Row 47: a token is there before a challenge, and none is seen", .row(47), arguments: [true, false])
    func inAdvance(first: Bool) async throws {
        let client = try world.client(world.place(world.user(), world.servers.portal, first: first))
        defer { client.shutDown() }
        for _ in 0..<3 { #expect(try await world.get(client, world.item).contains("Parcels")) }
        #expect(try await world.control("count/499") == (first ? "0" : "1"))
        #expect(try await world.control("count/generate") == "1")
    }

    @Test("Row 48: 498 in a success brings one new token for 200 requests", .row(48)) func invalidToken() async throws {
        let client = try world.client(world.place(world.user(), world.servers.portal, first: true))
        defer { client.shutDown() }
        #expect(try await world.get(client, world.item).contains("Parcels"))
        #expect(try await world.control("end-tokens") == "done")
        let item = world.item
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<200 { group.addTask { try await ArcGISWorld.get(client, item) } }
            for try await body in group { #expect(body.contains("Parcels")) }
        }
        #expect(try await world.control("count/generate") == "2")
    }

    @Test("Row 48: a server that takes no token causes one question, and its error is delivered", .row(48))
    func takesNone()
        async throws
    {
        // A portal's token at a federated server.
        let client = try world.client(world.place(world.user(), world.servers.server, first: true))
        defer { client.shutDown() }
        for _ in 0..<5 { #expect(try await world.get(client, world.map).contains("498")) }
        #expect(try await world.control("count/generate") == "2")
    }

    @Test("Row 48: other errors and other bodies are delivered as they are") func otherBodies() async throws {
        let client = try world.client(world.place(world.application(), world.servers.portal, first: true))
        defer { client.shutDown() }
        let me = try await world.get(client, world.servers.portal + "/sharing/rest/community/self?f=json")
        #expect(me.contains("403"))
        #expect(try await world.control("count/oauth") == "1")
    }
}
