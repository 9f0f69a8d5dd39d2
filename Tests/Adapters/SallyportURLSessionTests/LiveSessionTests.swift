import Foundation
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportClient
import SallyportURLSession
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Real servers and proxies, asked by URLSession.
@Suite(.inTurn, .serialized, .needs(.apache, .gssNTLMSSP, .lighttpd, .nginx, .squid, .pyspnego))
struct LiveSessionTests {
    private func authenticator(_ server: GuardedServer, password: String = GuardedServer.password) throws -> (
        SessionAuthenticator, Origin
    ) {
        var settings = ClientSettings.patient
        let address = try server.address()
        // Squid does not answer the expectation; it has accepted the client before such a body comes.
        if server.isProxy { (settings.proxy, settings.continueLimit) = ({ _ in address }, .seconds(1)) }
        let handler = try server.handler(password: password)
        let authenticator = SessionAuthenticator(CurrentHandler(handler), settings: settings)
        return (authenticator, server.isProxy ? try server.openOrigin : address)
    }

    @Test("A right password gets the page, as data and as a file", .row(2), arguments: GuardedServer.Kind.matrix)
    func right(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let (authenticator, origin) = try authenticator(server)
        defer { authenticator.shutDown() }
        let url = try #require(URL(string: "\(origin)\(server.page(1))"))
        var request = URLRequest(url: url)
        request.timeoutInterval = 3600
        let (data, response) = try await URLSession.shared.data(for: request, authenticator: authenticator)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(!data.isEmpty)
        let (file, head) = try await URLSession.shared.download(
            for: request,
            authenticator: authenticator
        )
        defer { try? FileManager.default.removeItem(at: file) }
        #expect((head as? HTTPURLResponse)?.statusCode == 200)
        #expect(try Data(contentsOf: file) == data)
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("A wrong password is sent once, and the response is delivered", arguments: GuardedServer.Kind.matrix)
    func wrong(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let (authenticator, origin) = try authenticator(server, password: "Wrong")
        defer { authenticator.shutDown() }
        let url = try #require(URL(string: "\(origin)\(server.page(1))"))
        var request = URLRequest(url: url)
        request.timeoutInterval = 3600
        for _ in 0..<3 {
            let (_, response) = try await URLSession.shared.data(for: request, authenticator: authenticator)
            #expect((response as? HTTPURLResponse)?.statusCode == (server.isProxy ? 407 : 401))
        }
        #expect(try server.takeBadLogOns() == 1)
    }

    @Test("Uploads arrive, from memory, a file and a stream", arguments: GuardedServer.Kind.matrix)
    func uploads(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let (authenticator, origin) = try authenticator(server)
        defer { authenticator.shutDown() }
        var request = URLRequest(url: try #require(URL(string: "\(origin)\(server.page(1))")))
        request.httpMethod = "POST"
        request.timeoutInterval = 3600
        let body = Data(repeating: 0x61, count: 200_000)
        let file = TemporaryFolder.place("sallyport-test")
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var streamed = request
        streamed.httpBodyStream = InputStream(data: body)
        let responses = [
            try await URLSession.shared.upload(for: request, from: body, authenticator: authenticator).1,
            try await URLSession.shared.upload(for: request, fromFile: file, authenticator: authenticator).1,
            try await URLSession.shared.data(for: streamed, authenticator: authenticator).1,
        ]
        for response in responses {
            // Not every server takes a POST to a file.
            let status = try #require(response as? HTTPURLResponse).statusCode
            #expect(status != 401 && status != 407)
        }
        #expect(try server.takeBadLogOns() == 0)
    }
}
