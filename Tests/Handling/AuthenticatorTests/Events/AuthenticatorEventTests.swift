import LiveServers
import Sallyport
import Synchronization
import Testing

@testable import Authenticator
@testable import ChallengeHandling

@Suite(.inTurn) struct AuthenticatorEventTests {
    /// Questions and replies, as words.
    func talk(_ events: [AuthenticationEvent]) -> [String] {
        events.compactMap { event in
            switch event.content {
            case .asked(let ask): "\(ask.source.rawValue)?"
            case .replied(let ask, let reply): "\(ask.source.rawValue): \(reply.rawValue)"
            default: nil
            }
        }
    }

    @Test("Store, sources and prompt are asked in order, and each reply has its kind") func order() async throws {
        let recorder = EventRecorder()
        let world = try AuthenticatorWorld(
            sources: [ScriptedSource { _ in .nothing }],
            prompt: ScriptedSource("jdoe", "right"),
            store: MemoryCredentialStore(),
            observer: recorder.observer
        )
        #expect(try await world.get("/a") == 200)
        let events = recorder.all
        #expect(
            talk(events) == ["store?", "store: nothing", "sources?", "sources: nothing", "prompt?", "prompt: use"]
        )
        #expect(events.compactMap(\.end).map(\.outcome) == [.withheld(.noCredential, by: .origin), .accepted])
        // The repetition is decided under the profile that has the new account.
        let codes = events.map(\.content.code)
        let asked = try #require(codes.lastIndex(of: "replied"))
        #expect(Array(codes[(asked + 1)...].prefix(2)) == ["profile", "started"])
        let text = recorder.dumped
        #expect(!text.contains("right"))
    }

    @Test(
        "The words of a user are told apart",
        arguments: [
            (CredentialReply.goOnWithout, "prompt: go-on-without"), (.rejectSpace, "prompt: reject"),
        ]
    )
    func words(_ reply: CredentialReply, _ word: String) async throws {
        let recorder = EventRecorder()
        let world = try AuthenticatorWorld(prompt: ScriptedSource { _ in reply }, observer: recorder.observer)
        #expect(try await world.get() == 401)
        #expect(talk(recorder.all) == ["prompt?", word])
    }

    @Test("A prompt that cancels, and one that fails") func cancelled() async throws {
        let recorder = EventRecorder()
        let world = try AuthenticatorWorld(prompt: ScriptedSource { _ in .cancel }, observer: recorder.observer)
        await #expect(throws: AuthenticatorError.cancelled) { try await world.get() }
        #expect(talk(recorder.all) == ["prompt?", "prompt: cancel"])
        let failing = EventRecorder()
        let second = try AuthenticatorWorld(
            prompt: ScriptedSource { _ in throw AuthenticatorError.noReply },
            observer: failing.observer
        )
        await #expect(throws: AuthenticatorError.noReply) { try await second.get() }
        #expect(talk(failing.all) == ["prompt?", "prompt: failed"])
    }

    @Test("A sign-out reports its parts") func signOut() async throws {
        let recorder = EventRecorder()
        let world = try AuthenticatorWorld(
            sources: [ScriptedSource("jdoe", "right", keep: .stored)],
            store: MemoryCredentialStore(),
            observer: recorder.observer
        )
        #expect(try await world.get() == 200)
        await world.authenticator.signOut()
        guard case .signedOut(let summary)? = recorder.all.last?.content else {
            Issue.record("the last event is \(recorder.codes.last ?? "none")")
            return
        }
        #expect(summary.accounts == ["https://wiki.acme.example"] && summary.storedCredentials == 1)
        #expect(summary.failures.isEmpty && summary.trustedKeys == 0)
    }
}
