import AsyncHTTPClient
import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportAsyncHTTPClient
import SallyportClient
import Testing

/// Real servers and proxies, asked by AsyncHTTPClient.
@Suite(.inTurn, .serialized, .needs(.apache, .gssNTLMSSP, .lighttpd, .nginx, .squid, .pyspnego))
struct LiveHTTPClientTests {
    private func withClient(
        _ server: GuardedServer,
        password: String = GuardedServer.password,
        _ body: (HTTPClient, HTTPClientAuthenticator, Origin) async throws -> Void
    ) async throws {
        var settings = ClientSettings.patient
        let address = try server.address()
        // Squid does not answer the expectation; it has accepted the client before such a body comes.
        if server.isProxy { (settings.proxy, settings.continueLimit) = ({ _ in address }, .seconds(1)) }
        let handler = try server.handler(password: password)
        let authenticator = HTTPClientAuthenticator(CurrentHandler(handler), settings: settings)
        let origin = server.isProxy ? try server.openOrigin : address
        var configuration = HTTPClient.Configuration.forAuthenticator
        configuration.timeout.connect = .hours(1)
        try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await body(client, authenticator, origin)
        }
        authenticator.shutDown()
    }

    @Test("A right password gets the page, with a body and without", arguments: GuardedServer.Kind.matrix)
    func right(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        try await withClient(server) { client, authenticator, origin in
            for number in 0..<6 {
                var request = HTTPClientRequest(url: "\(origin)\(server.page(number))")
                let deadline = NIODeadline.now() + .hours(1)
                // The servers of the tests answer GET alone with a page.
                request.headers.add(name: "X-Test", value: "\(number)")
                let response = try await client.execute(request, authenticator: authenticator, deadline: deadline)
                #expect(response.status == .ok)
                #expect(try await response.body.collect(upTo: 1 << 20).readableBytes > 0)
            }
        }
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("A wrong password is sent once, also by 32 requests at a time", arguments: GuardedServer.Kind.matrix)
    func wrong(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let status: HTTPResponseStatus = server.isProxy ? .proxyAuthenticationRequired : .unauthorized
        try await withClient(server, password: "Wrong") { client, authenticator, origin in
            try await withThrowingTaskGroup(of: HTTPResponseStatus.self) { group in
                for number in 0..<32 {
                    group.addTask { [url = "\(origin)\(server.page(number))"] in
                        let deadline = NIODeadline.now() + .hours(1)
                        let request = HTTPClientRequest(url: url)
                        let response = try await client.execute(
                            request,
                            authenticator: authenticator,
                            deadline: deadline
                        )
                        _ = try await response.body.collect(upTo: 1 << 20)
                        return response.status
                    }
                }
                for try await each in group { #expect(each == status) }
            }
        }
        let badLogOns = try server.takeBadLogOns()
        #expect(badLogOns == 1)
    }

    @Test("Bodies arrive, kept and streamed", arguments: GuardedServer.Kind.matrix) func posts(kind: GuardedServer.Kind)
        async throws
    {
        let server = try await GuardedServer.started(kind)
        let refused: HTTPResponseStatus = server.isProxy ? .proxyAuthenticationRequired : .unauthorized
        try await withClient(server) { client, authenticator, origin in
            let bytes = ByteBuffer(repeating: 0x61, count: 300_000)
            let part = ByteBuffer(repeating: 0x61, count: 100_000)
            let parts = AsyncStream<ByteBuffer> { continuation in
                for _ in 0..<3 { continuation.yield(part) }
                continuation.finish()
            }
            let bodies: [HTTPClientRequest.Body] = [
                .bytes(part), .bytes(bytes), .stream(parts, length: .known(Int64(300_000))),
            ]
            for body in bodies {
                var request = HTTPClientRequest(url: "\(origin)\(server.page(1))")
                request.method = .POST
                request.body = body
                let deadline = NIODeadline.now() + .hours(1)
                let response = try await client.execute(request, authenticator: authenticator, deadline: deadline)
                // Not every server takes a POST to a file.
                #expect(response.status != refused)
                _ = try await response.body.collect(upTo: 1 << 20)
            }
        }
        #expect(try server.takeBadLogOns() == 0)
    }
}
