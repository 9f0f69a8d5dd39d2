import LiveServers
import OAuth
import Sallyport
import Secrets
import Synchronization
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// The wait for a user who signs in on another device (RFC 8628 sections 3.3 to 3.5).
@Suite(.inTurn) struct DeviceSignInTests {
    private struct NoNetwork: Error {}

    private final class World: Sendable {
        let now = Mutex<Int64>(1_000)
        let pauses = Mutex<[Int64]>([])
        /// What the token endpoint answers, in order; `nil` for no response.
        let answers: Mutex<[String?]>
        let shown = Mutex<[String]>([])
        let notices = Mutex<[String]>([])

        init(_ answers: [String?]) { self.answers = Mutex(answers) }

        func signIn() async throws -> TokenGrant {
            let client = OAuthClient(id: "app", tokenEndpoint: try ServiceURL("https://login.acme.example/token"))
            return try await DeviceAuthorization.signIn(
                client,
                at: ServiceURL("https://login.acme.example/device"),
                OAuthClient.Wish(scope: "read"),
                send: { [self] request in
                    if request.url.path == "/device" {
                        let body =
                            #"{"device_code":"d","user_code":"WDJB-MJHT","verification_uri":"https://a.example","expires_in":60}"#
                        return try TokenResponse(status: 200, body: Array(body.utf8).span)
                    }
                    guard
                        let body = answers.withLock({
                            $0.isEmpty ? #"{"error":"authorization_pending"}"# : $0.removeFirst()
                        })
                    else { throw NoNetwork() }
                    return try TokenResponse(status: body.contains("error") ? 400 : 200, body: Array(body.utf8).span)
                },
                clock: { [self] in now.withLock { $0 } },
                sleep: { [self] seconds in
                    pauses.withLock { $0.append(seconds) }
                    now.withLock { $0 += seconds }
                },
                notice: { [self] text in notices.withLock { $0.append(text) } },
                show: { [self] device in shown.withLock { $0.append(device.userCode) } }
            )
        }
    }

    @Test("authorization_pending and slow_down wait; no response makes the pause longer") func waits() async throws {
        let world = World([
            #"{"error":"authorization_pending"}"#, #"{"error":"slow_down"}"#, nil, nil,
            #"{"error":"authorization_pending"}"#,
            #"{"access_token":"t","token_type":"Bearer"}"#,
        ])
        let grant = try await world.signIn()
        #expect(TokenWorld.text(grant.access.secret) == "t")
        #expect(world.shown.withLock { $0 } == ["WDJB-MJHT"])
        // RFC 8628: 5 without an interval, 5 more after slow_down; after a lost response 1 more, then 2.
        #expect(world.pauses.withLock { $0 } == [5, 5, 10, 11, 12, 10])
    }

    @Test("A service in trouble is asked less and less often, and then as before") func trouble() async throws {
        let world = World([
            "<html>", "<html>", "<html>", #"{"error":"authorization_pending"}"#,
            #"{"access_token":"t","token_type":"Bearer"}"#,
        ])
        let grant = try await world.signIn()
        #expect(TokenWorld.text(grant.access.secret) == "t")
        #expect(world.pauses.withLock { $0 } == [5, 6, 7, 9, 5])
    }

    @Test("Responses that cannot be read are said once, after the first, and end the sign-in after a few")
    func unreadable() async throws {
        let world = World(Array(repeating: "<html>", count: 1_000))
        do {
            _ = try await world.signIn()
            Issue.record("signed in")
        } catch TokenServiceError.unreadable(let last) {
            #expect(last.hasPrefix("status 200 and no JSON"))
        }
        #expect(world.pauses.withLock { $0.count } == TokenLimits.unreadableResponses)
        let notices = world.notices.withLock { $0 }
        #expect(notices.count == 1 && notices[0].contains("status 200 and no JSON"))
        // What can be read says nothing.
        let pending = World([#"{"error":"authorization_pending"}"#, #"{"access_token":"t","token_type":"Bearer"}"#])
        _ = try await pending.signIn()
        #expect(pending.notices.withLock { $0.isEmpty })
    }

    @Test(
        "access_denied, expired_token and other refusals end it",
        arguments: ["access_denied", "expired_token", "invalid_grant"]
    )
    func ends(word: String) async throws {
        let world = World([#"{"error":"\#(word)"}"#])
        let refusal = OAuthRefusal(code: .init(rawValue: word), text: nil)
        await #expect(throws: TokenServiceError.refused(refusal)) { try await world.signIn() }
        #expect(world.pauses.withLock { $0 } == [5])
    }

    @Test("A user who never decides, and a network that never comes back, end with the code", arguments: [false, true])
    func never(isLost: Bool) async throws {
        let world = World(isLost ? Array(repeating: nil, count: 1_000) : [])
        do {
            _ = try await world.signIn()
            Issue.record("signed in")
        } catch TokenServiceError.codeEnded(let last) {
            #expect(last?.contains(isLost ? "no response" : "authorization_pending") == true)
        }
        let pauses = world.pauses.withLock { $0 }
        // `expires_in` is 60.
        #expect(pauses.count < 20 && pauses.reduce(0, +) == 60)
        // Without a response: 5 + 6 + 7 + 9 + 13, one second before the end, and the end.
        if isLost { #expect(pauses == [5, 6, 7, 9, 13, 19, 1]) }
    }
}
