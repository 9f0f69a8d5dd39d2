import AllowedSites
import Credentials
import Foundation
import HTTPAuthentication
import Hostnames
import LiveServers
import Sallyport
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// URLSession itself with a controller, at servers that a test scripts.
@Suite(.inTurn) struct AuthenticationDelegateTests {
    private static func server(offer: String = #"Basic realm="wiki""#) async throws -> ScriptedServer {
        let right = "Basic " + Data("jdoe:\(TestController.password)".utf8).base64EncodedString()
        return try await ScriptedServer { request in
            request.field("Authorization") == right
                ? .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                : .send("HTTP/1.1 401 No\r\nWWW-Authenticate: \(offer)\r\nContent-Length: 0\r\n\r\n")
        }
    }

    private static func controller(
        _ server: ScriptedServer,
        password: String,
        allowed: Bool = true
    ) throws -> AuthenticationController {
        let profile = SecurityProfile(
            sites: try SiteList(parsing: allowed ? "\(server.origin)" : "other.example", name: "test"),
            schemes: [.digest, .basic],
            accounts: [
                .init(
                    TestController.account(password: password),
                    sites: ["\(server.origin)"],
                    allowsCleartext: true
                )
            ]
        )
        return AuthenticationController(
            CurrentHandler(try ChallengeHandler(profile: profile, at: 0)),
            account: "main",
            source: .credentials("jdoe", TestController.password)
        )
    }

    private static func session(_ controller: AuthenticationController) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 3600
        return URLSession(
            configuration: configuration,
            delegate: AuthenticationDelegate(controller),
            delegateQueue: nil
        )
    }

    private func status(_ session: URLSession, _ server: ScriptedServer) async throws -> Int? {
        let url = try #require(URL(string: "\(server.origin)/page"))
        let (_, response) = try await session.data(from: url)
        return (response as? HTTPURLResponse)?.statusCode
    }

    @Test("A right password gets the page", .row(16)) func right() async throws {
        let server = try await Self.server()
        defer { server.stop() }
        let session = Self.session(try Self.controller(server, password: TestController.password))
        defer { session.invalidateAndCancel() }
        for _ in 0..<3 { #expect(try await status(session, server) == 200) }
    }

    @Test("A wrong password is sent once; after an update the next request gets the page", .row(30))
    func wrong() async throws {
        let server = try await Self.server()
        defer { server.stop() }
        let controller = try Self.controller(server, password: "Wrong")
        let session = Self.session(controller)
        defer { session.invalidateAndCancel() }
        for _ in 0..<3 {
            let error = await #expect(throws: (any Error).self) { try await status(session, server) }
            #expect(error.map { ($0 as NSError).code } == NSURLErrorCancelled)
        }
        #expect(server.requests.filter { $0.field("Authorization") != nil }.count == 1)
        try await controller.updateUserCredentials()
        #expect(try await status(session, server) == 200)
    }

    @Test(
        "A server that is not allowed, or that offers Basic only in the text of Digest, gets no password",
        arguments: [
            (false, #"Basic realm="wiki""#), (true, #"Digest realm="hello, Basic realm=evil", nonce="n""#),
            (true, #"Digest realm="x", nonce="n", Basic realm="x""#),
        ]
    )
    func refused(allowed: Bool, offer: String) async throws {
        let server = try await Self.server(offer: offer)
        defer { server.stop() }
        let controller = try Self.controller(server, password: TestController.password, allowed: allowed)
        let session = Self.session(controller)
        defer { session.invalidateAndCancel() }
        await #expect(throws: (any Error).self) { try await status(session, server) }
        #expect(!server.requests.isEmpty && server.requests.allSatisfy { $0.field("Authorization") == nil })
    }

    #if canImport(FoundationNetworking)
        @Test("The sender of URLSession's own challenges on Linux is not called")
        func sender() async throws {
            let server = try await Self.server()
            defer { server.stop() }
            let delegate = HandlingDelegate(try Self.controller(server, password: TestController.password))
            let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
            defer { session.invalidateAndCancel() }
            await #expect(throws: (any Error).self) { try await status(session, server) }
            #expect(delegate.answers.withLock { $0 } == [false])
        }
    #endif
}

#if canImport(FoundationNetworking)
    /// Asks the call for `NSURLConnection` about a challenge of URLSession.
    private final class HandlingDelegate: NSObject, URLSessionTaskDelegate {
        let answers = Mutex<[Bool]>([])
        private let controller: AuthenticationController

        init(_ controller: AuthenticationController) { self.controller = controller }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let isHandled = controller.handle(challenge)
            answers.withLock { $0.append(isHandled) }
            if !isHandled { completionHandler(.cancelAuthenticationChallenge, nil) }
        }
    }
#endif
