import AllowedSites
import CredentialSources
import Foundation
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import Synchronization
import Testing

@testable import ChallengeReplay

/// The events and the transcript of a client at Apache, with Basic, Digest and NTLM.
@Suite(.inTurn, .serialized, .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP))
struct LiveTranscriptTests {
    static let wrong = "Wrong-Battery"

    /// Types a wrong password first, then the right one.
    private final class Typist: CredentialSource {
        private let count = Mutex(0)

        func reply(to question: CredentialQuestion) async throws -> CredentialReply {
            let number = count.withLock { count in
                count += 1
                return count
            }
            let password = number == 1 ? LiveTranscriptTests.wrong : GuardedServer.password
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: password)))
        }

        func learn(_ outcome: CredentialOutcome, of credential: SuppliedCredential, for question: CredentialQuestion)
            async
        {}
    }

    /// What was sent to a server, so that nothing of it may be in an event.
    private static let encoded = [
        "\(wrong)", "jdoe:\(wrong)", GuardedServer.password, "jdoe:\(GuardedServer.password)",
    ]
    .map { Data($0.utf8).base64EncodedString() }

    private struct Story {
        let events: [AuthenticationEvent]
        let text: String
    }

    /// Runs `body` with a client that asks for the password of one of three kinds of pages.
    private func story(
        _ server: GuardedServer,
        schemes: [AuthenticationScheme],
        accounts: [AccountAssignment] = [],
        _ body: @Sendable (AuthenticatedClient, String) async throws -> Void
    ) async throws -> Story {
        let stream = EventStream(bound: 10_000)
        let rule = "\(try server.address())"
        let profile = SecurityProfile(
            sites: try SiteList(parsing: rule, name: "live"),
            schemes: schemes,
            accounts: accounts
        )
        let authenticator = try Authenticator(
            CurrentHandler(ChallengeHandler(profile: profile, at: 0, observer: stream.observer)),
            prompt: Typist(),
            options: AuthenticatorOptions(allowsCleartext: true)
        )
        let client = AuthenticatedClient(authenticator)
        try await body(client, rule)
        client.shutDown()
        await authenticator.signOut()
        stream.finish()
        var events: [AuthenticationEvent] = []
        for await event in stream.events { events.append(event) }
        #expect(stream.dropped == 0)
        var text = ""
        dump(events, to: &text)
        text += events.map { "\($0)" }.joined(separator: "\n")
        return Story(events: events, text: text)
    }

    private func expect(_ status: Int, _ client: AuthenticatedClient, _ url: String) async throws {
        let response = try await client.execute(ClientRequest(url: url), deadline: .now() + .patient)
        _ = try await response.body.collect(upTo: 1 << 20)
        #expect(Int(response.status.code) == status)
    }

    /// The transcript of a story is read back without a difference, and holds no secret.
    private func check(_ story: Story) throws {
        for names in [Transcript.Names.kept, .pseudonyms(TranscriptKey())] {
            let file = try TranscriptReplayTests.file(story.events, names: names)
            defer { try? FileManager.default.removeItem(at: file) }
            let differences = try TranscriptReplayTests.replay(file).differences
            #expect(differences == [])
            let text = story.text + (try String(contentsOf: file, encoding: .utf8))
            for secret in [Self.wrong, GuardedServer.password, "Query-Secret", "Basic amRv", "response=\""]
                + Self.encoded
            {
                #expect(!text.contains(secret))
            }
        }
    }

    @Test("A password that is typed wrong, then right: events and transcript tell it")
    func typed() async throws {
        let server = try await GuardedServer.started(.apacheBasic)
        let story = try await story(server, schemes: [.basic]) { client, origin in
            try await expect(200, client, "\(origin)/basic/p1?token=Query-Secret")
            try await expect(200, client, "\(origin)/basic/p2")
            try await expect(401, client, "\(origin)/basic/secret")
        }
        #expect(try server.takeBadLogOns() <= 2)
        let ends = story.events.compactMap { event in
            if case .ended(let end) = event.content { end.outcome } else { nil }
        }
        let name = "\(try server.address())"
        #expect(
            ends.prefix(4) == [
                .withheld(.noCredential, by: .origin), .withheld(.credentialsRefused(account: name), by: .origin),
                .accepted, .accepted,
            ]
        )
        let answers = story.events.compactMap { event in
            if case .answered(let answer) = event.content { answer } else { nil }
        }
        #expect(answers.prefix(3).map(\.isInAdvance) == [false, false, true])
        #expect(story.events.contains { if case .signedOut = $0.content { true } else { false } })
        try check(story)
    }

    @Test("NTLM before Digest and Basic: the handshake, and a page that the account may not see")
    func handshake() async throws {
        let server = try await GuardedServer.started(.apacheNTLM)
        let account = Account(
            name: "account",
            user: "jdoe",
            domain: ServerScript.domain,
            password: SharedSecret(utf8: GuardedServer.password)
        )
        let rule = "\(try server.address())"
        let assignment = AccountAssignment(account, sites: [rule], allowsCleartext: true)
        let story = try await story(server, schemes: [.ntlm, .digest, .basic], accounts: [assignment]) {
            client,
            origin in
            for path in ["/ntlm/p1", "/ntlm/p2"] {
                try await expect(200, client, "\(origin)\(path)")
            }
        }
        let answers = story.events.compactMap { event in
            if case .answered(let answer) = event.content { answer } else { nil }
        }
        #expect(answers.prefix(2).map(\.leg) == [1, 2])
        #expect(answers.allSatisfy { $0.scheme == .ntlm && $0.account == "account" })
        try check(story)
    }

    @Test("Digest, whose answers go out in advance") func digest() async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        let story = try await story(server, schemes: [.digest]) { client, origin in
            for number in 1...3 {
                try await expect(200, client, "\(origin)/digest/p\(number)")
                // After this time only a party that has proven itself is answered in advance, and a replay must know of the proof.
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        try check(story)
    }
}
