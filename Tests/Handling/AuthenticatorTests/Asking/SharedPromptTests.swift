import LiveServers
import Sallyport
import Synchronization
import TestSupport
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// Requests that wait for one question, and questions that wait for their turn.
@Suite(.inTurn) struct SharedPromptTests {
    @Test("Requests that need one password show one prompt, however many", .row(72))
    func coalesced() async throws {
        let gate = TestGate()
        let prompt = ScriptedSource { _ in
            await gate.wait()
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        let world = try AuthenticatorWorld(prompt: prompt)
        try await withThrowingTaskGroup(of: Int.self) { group in
            let count = Effort.rounds(1_000, thorough: 10_000)
            for number in 0..<count { group.addTask { try await world.get("/\(number)") } }
            try await eventually("all requests wait") { world.authenticator.calls.waiterCount == count }
            await gate.open()
            for try await status in group { #expect(status == 200) }
        }
        #expect(prompt.questions.count == 1)
    }

    @Test("A cancelled request does not cancel the question of another; the last one does")
    func cancelled() async throws {
        let (gate, wasCancelled) = (TestGate(), TestGate())
        let prompt = ScriptedSource { _ in
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: {
                Task { await wasCancelled.open() }
            }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        let world = try AuthenticatorWorld(prompt: prompt)
        let first = Task { try await world.get("/1") }
        try await eventually("the person is asked") { !prompt.questions.isEmpty }
        let second = Task { try await world.get("/2") }
        try await eventually("both requests wait") { world.authenticator.calls.waiterCount == 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        await wasCancelled.wait()
        await gate.open()
        #expect(world.authenticator.accounts.isEmpty)
    }

    @Test("A prompt that never answers holds no request that needs no prompt, and the next question gets its turn")
    func neverAnswers() async throws {
        let prompt = ScriptedSource { question in
            if question.origin.host.description == "stuck.acme.example" { await TestGate().wait() }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        let account = Account(name: "ada", user: "ada", password: SharedSecret(utf8: "Correct-Horse"))
        let world = try AuthenticatorWorld(
            ["/": "jdoe:right", "/ada": "ada:Correct-Horse"],
            accounts: [.init(account, sites: ["ada.acme.example"], allowsUnbound: true)],
            prompt: prompt,
            AuthenticatorOptions(patience: .milliseconds(300))
        )
        let stuck = Task { try await world.get(from: "https://stuck.acme.example") }
        try await eventually("the person is asked") { !prompt.questions.isEmpty }
        #expect(try await world.get("/ada", from: "https://ada.acme.example") == 200)
        // The patience counts for the reply of this question, too, which a busy machine may bring later.
        let status = try await awaited("a reply in time") { () -> Int? in
            do { return try await world.get(from: "https://wiki.acme.example") } catch AuthenticatorError.noReply {
                return nil
            }
        }
        #expect(status == 200)
        await #expect(throws: AuthenticatorError.noReply) { try await stuck.value }
    }

    @Test("One prompt is visible at a time", .row(72))
    func oneAtATime() async throws {
        let visible = Mutex(0)
        let prompt = ScriptedSource { _ in
            #expect(
                visible.withLock { visible in
                    visible += 1
                    return visible
                } == 1
            )
            try await Task.sleep(for: .milliseconds(5))
            visible.withLock { $0 -= 1 }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        let world = try AuthenticatorWorld(prompt: prompt)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 { group.addTask { try await world.get(from: "https://host\(number).acme.example") } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(prompt.questions.count == 20)
    }

    @Test("Requests for several pages of one place show one prompt")
    func onePlace() async throws {
        let gate = TestGate()
        let prompt = ScriptedSource { _ in
            await gate.wait()
            return .use(SuppliedCredential(user: "keeper", password: SharedSecret(utf8: "own")))
        }
        var options = AuthenticatorOptions()
        options.places = [AccountPlace(name: "repository", sites: ["https://ecm.acme.example/repository/"])]
        let world = try AuthenticatorWorld(["/repository/": "keeper:own"], prompt: prompt, options)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 {
                group.addTask { try await world.get("/repository/\(number)", from: "https://ecm.acme.example") }
            }
            try await eventually("all requests wait") { world.authenticator.calls.waiterCount == 50 }
            await gate.open()
            for try await status in group { #expect(status == 200) }
        }
        #expect(prompt.questions.count == 1)
    }
}
