import HTTPAuthentication
import LiveServers
import MatrixClients
import NIOConcurrencyHelpers
import Sallyport
import Secrets
import Testing

/// An ArcGIS server refuses tokens in the body of a success, for each client.
@Suite(.inTurn) struct RefusalInBodyTests {
    /// Tokens `t1`, `t2` and so on.
    private final class Tokens: TokenSource {
        let count = NIOLockedValueBox(0)

        func token(for question: TokenQuestion) async throws -> AccessToken? {
            let number = count.withLockedValue { count in
                count += 1
                return count
            }
            return AccessToken(SharedSecret(utf8: "t\(number)"), requiresTLS: false)
        }
    }

    private static func json(_ body: String, type: String = "application/json;charset=UTF-8") -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static func problem(_ code: Int) -> String {
        #"{"error":{"code":\#(code),"message":"Invalid token.","details":[]}}"#
    }

    /// Asks a server with these replies by the last token; returns what the client got and how many tokens were asked for.
    private func ask(
        _ client: MatrixClient,
        times: Int = 1,
        isArcGIS: Bool = true,
        reply: @escaping @Sendable (String?, ScriptedServer.Request) -> String
    ) async throws -> (replies: [MatrixReply], tokens: Int) {
        let server = try await ScriptedServer { request in .send(reply(request.field("Authorization"), request)) }
        defer { server.stop() }
        let tokens = Tokens()
        var place = AccountPlace(name: "portal", sites: ["\(server.origin)"])
        (place.tokens, place.readsArcGISErrors) = (tokens, isArcGIS)
        (place.sendsTokenFirst, place.allowsCleartext) = (true, true)
        place.referer = "https://app.acme.example"
        let current = try MatrixProfile.current([], [.basic], at: [server.origin])
        let authenticator = try Authenticator(current, options: AuthenticatorOptions(places: [place]))
        var replies: [MatrixReply] = []
        try await client.run(current, asking: authenticator) { running in
            for _ in 0..<times { replies.append(try await running.send(MatrixRequest(origin: server.origin))) }
        }
        return (replies, tokens.count.withLockedValue { $0 })
    }

    @Test(
        "498 and 499 bring the next token, and the request is repeated",
        arguments: MatrixClient.allCases,
        [498, 499]
    )
    func refused(client: MatrixClient, code: Int) async throws {
        let (replies, tokens) = try await ask(client, times: 2) { field, request in
            guard request.field("Referer") == "https://app.acme.example" else { return Self.json(Self.problem(500)) }
            return field == "Bearer t2" ? Self.json("{}") : Self.json(Self.problem(code), type: "text/plain")
        }
        #expect(replies.map(\.text) == ["{}", "{}"])
        #expect(tokens == 2)
    }

    @Test("A server that takes no token is asked twice, and its error is delivered", arguments: MatrixClient.allCases)
    func takesNone(client: MatrixClient) async throws {
        let (replies, tokens) = try await ask(client, times: 3) { _, _ in Self.json(Self.problem(498)) }
        #expect(replies.map(\.text) == [String](repeating: Self.problem(498), count: 3))
        #expect(tokens == 2)
    }

    @Test("Other errors, other types and longer bodies are delivered whole", arguments: MatrixClient.allCases)
    func delivered(client: MatrixClient) async throws {
        let long = #"{"a":"\#(String(repeating: "x", count: 300_000))","error":{"code":498}}"#
        for (body, type) in [
            (Self.problem(403), "application/json"), (Self.problem(498), "text/html"), (long, "application/json"),
            ("{", "application/json"), ("", "application/json"),
        ] {
            let (replies, tokens) = try await ask(client) { _, _ in Self.json(body, type: type) }
            #expect(replies.map(\.text) == [body])
            #expect(tokens == 1)
        }
    }

    @Test("At a place that is no ArcGIS server a body is the application's", arguments: MatrixClient.allCases)
    func others(client: MatrixClient) async throws {
        let (replies, tokens) = try await ask(client, isArcGIS: false) { _, _ in Self.json(Self.problem(498)) }
        #expect(replies.map(\.text) == [Self.problem(498)])
        #expect(tokens == 1)
    }
}
