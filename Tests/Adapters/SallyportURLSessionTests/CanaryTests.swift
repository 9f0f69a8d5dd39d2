import AllowedSites
import Foundation
import Hostnames
import LiveServers
import Sallyport
import SallyportNIO
import SallyportURLSession
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking

    /// Faults of URLSession on Linux, for which requests with an authenticator do not go through it.
    ///
    /// Each is a known issue. A test that fails because its issue is gone says that this reason is gone too.
    @Suite(.inTurn) struct CanaryTests {
        private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        private static let basic =
            "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"

        private func authenticator(_ origin: Origin) throws -> SessionAuthenticator {
            let profile = SecurityProfile(
                sites: try SiteList(parsing: "\(origin)", name: "test"),
                schemes: [.basic],
                accounts: []
            )
            return SessionAuthenticator(CurrentHandler(try ChallengeHandler(profile: profile, at: 0)))
        }

        @Test("URLSession passes a hand-set Authorization and cookies on to another origin; we do not")
        func redirects() async throws {
            let other = try await ScriptedServer { _ in .send(Self.ok) }
            defer { other.stop() }
            let target = other.origin
            let server = try await ScriptedServer { _ in
                .send("HTTP/1.1 302 Found\r\nLocation: \(target)/there\r\nContent-Length: 0\r\n\r\n")
            }
            defer { server.stop() }
            var request = URLRequest(url: try #require(URL(string: "\(server.origin)/")))
            request.timeoutInterval = 3600
            request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
            request.setValue("a=b", forHTTPHeaderField: "Cookie")
            let authenticator = try authenticator(server.origin)
            _ = try await URLSession.shared.data(for: request, authenticator: authenticator)
            authenticator.shutDown()
            let ours = try #require(other.requests.last)
            #expect(ours.target == "/there" && ours.field("Authorization") == nil && ours.field("Cookie") == nil)

            _ = try await URLSession.shared.data(for: request)
            let theirs = try #require(other.requests.last)
            withKnownIssue { #expect(theirs.field("Authorization") == nil && theirs.field("Cookie") == nil) }
        }

        @Test("URLSession does not end with a 401 that nobody answers; we do")
        func unanswered() async throws {
            let server = try await ScriptedServer { _ in .send(Self.basic) }
            defer { server.stop() }
            let url = try #require(URL(string: "\(server.origin)/"))
            var request = URLRequest(url: url)
            request.timeoutInterval = 3600
            let authenticator = try authenticator(server.origin)
            let (_, response) = try await URLSession.shared.data(for: request, authenticator: authenticator)
            authenticator.shutDown()
            #expect((response as? HTTPURLResponse)?.statusCode == 401)

            let session = URLSession(configuration: .ephemeral)
            let ended = Ended()
            let task = session.dataTask(with: url) { _, _, _ in ended.set() }
            task.resume()
            for _ in 0..<40 where !ended.value { try await Task.sleep(for: .milliseconds(50)) }
            withKnownIssue { #expect(ended.value) }
            task.cancel()
        }
    }

    private final class Ended: @unchecked Sendable {
        private let lock = NSLock()
        private var isSet = false

        var value: Bool { lock.withLock { isSet } }
        func set() { lock.withLock { isSet = true } }
    }
#endif
