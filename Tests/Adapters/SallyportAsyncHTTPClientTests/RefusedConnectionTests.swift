import AllowedSites
import AsyncHTTPClient
import Foundation
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportAsyncHTTPClient
import SallyportClient
import Testing

/// Servers that cannot be reached, asked by AsyncHTTPClient.
@Suite(.inTurn) struct RefusedConnectionTests {
    private func failure(
        _ configuration: HTTPClient.Configuration,
        _ url: String,
        within limit: TimeAmount
    ) async throws -> ClientError {
        let profile = SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: [.basic])
        let authenticator = HTTPClientAuthenticator(CurrentHandler(try ChallengeHandler(profile: profile)))
        defer { authenticator.shutDown() }
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await #require(throws: ClientError.self) {
                let deadline = NIODeadline.now() + limit
                _ = try await client.execute(
                    HTTPClientRequest(url: url),
                    authenticator: authenticator,
                    deadline: deadline
                )
            }
        }
    }

    private static func reason(_ error: ClientError, at origin: Origin) -> String? {
        if case .notConnected(origin, let reason) = error { return reason }
        return nil
    }

    @Test("A refused connection is named at once") func refused() async throws {
        // Nothing listens there: the port was free, and is kept from others.
        let origin = try Origin(parsing: "http://127.0.0.1:\(ServerPort.take())")
        let once = try await failure(.forAuthenticator, "\(origin)/", within: .hours(1))
        #expect(Self.reason(once, at: origin) == "Connection refused: check host, port and firewall")
    }

    @Test(
        "A client that repeats connections names the refused one at the deadline",
        .enabled(
            if: ProcessInfo.processInfo.environment["SALLYPORT_QUIET"] != nil,
            "a busy machine passes the second after the deadline: .ci/slow deadlines"
        )
    )
    func refusedUntilTheDeadline() async throws {
        let origin = try Origin(parsing: "http://127.0.0.1:\(ServerPort.take())")
        let repeated = try await failure(HTTPClient.Configuration(), "\(origin)/", within: .seconds(5))
        #expect(Self.reason(repeated, at: origin) == "Connection refused: check host, port and firewall")
    }

    @Test("A name that cannot be resolved is named") func unknown() async throws {
        // RFC 6761: names below "invalid" never resolve.
        let origin = try Origin(parsing: "http://wiki.invalid")
        let error = try await failure(.forAuthenticator, "\(origin)/", within: .hours(1))
        #expect(Self.reason(error, at: origin)?.hasPrefix("the name cannot be resolved") == true, "\(error)")
    }
}
