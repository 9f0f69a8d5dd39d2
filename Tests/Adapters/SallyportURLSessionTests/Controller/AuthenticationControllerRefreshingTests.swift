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

@Suite(.inTurn) struct AuthenticationControllerRefreshingTests {
    private struct Failure: Error {}

    private static func identity(_ name: String) -> AuthenticationSource.IdentityAssignment {
        .init(
            ClientIdentity(name: name, certificateChain: [TestController.certificate]),
            sites: ["*.acme.example"]
        )
    }

    private func identityName(_ current: CurrentHandler) throws -> String? {
        let origin = try Origin(parsing: "https://wiki.acme.example")
        guard case .present(let identity) = current.handler.identity(for: origin, authorities: []) else { return nil }
        return identity.name
    }

    private func sent(_ controller: AuthenticationController) throws -> String {
        let recorder = RecordingSender()
        let challenge = try TestController.challenge(
            TestController.space(TestController.Method.ntlm),
            offer: "NTLM",
            sender: recorder
        )
        return controller.handle(challenge) ? recorder.called.joined() : ""
    }

    @Test("User, domain and password may change; account gives the names", .row(28, 30)) func credentials() async throws
    {
        let test = try TestController(source: .credentials(#"LAB\ada"#, "New-Horse"))
        let before = try #require(test.controller.account)
        #expect((before.name, before.user, before.domain) == ("main", "jdoe", nil))
        #expect(try sent(test.controller) == "use jdoe Correct-Horse")
        try await test.controller.updateUserCredentials()
        let after = try #require(test.controller.account)
        #expect((after.name, after.user, after.domain) == ("main", "ada", "LAB"))
        #expect(try sent(test.controller) == #"use LAB\ada New-Horse"#)
        // Another server: the one above offered NTLM, and would get nothing for Basic alone.
        let request = try ChallengedRequest(url: "https://files.acme.example/", method: "GET")
        var exchange = test.current.handler.exchange(for: request)
        guard case .answer(let answer) = exchange.received(status: 401, fields: [.wwwAuthenticate: "Basic realm=x"])
        else {
            Issue.record("the driver does not use the new account")
            return
        }
        // A user that is written with a backslash is sent with it.
        #expect(answer.httpField.value == "Basic " + Data(#"LAB\ada:New-Horse"#.utf8).base64EncodedString())
    }

    @Test("A source that fails, or an account that cannot be used, leaves everything as it was") func failures()
        async throws
    {
        let failing = AuthenticationSource(
            credentials: { _ in throw Failure() },
            identities: { throw Failure() }
        )
        let test = try TestController(identities: [Self.identity("old")], source: failing)
        let handler = test.current.handler
        await #expect(throws: Failure.self) { try await test.controller.updateUserCredentials() }
        await #expect(throws: Failure.self) { try await test.controller.fetchNewCertificates() }
        #expect(test.current.handler === handler)

        let invalid = AuthenticationSource(
            credentials: { _ in
                UserCredentials(user: #"A\jdoe"#, domain: "B", password: SharedSecret(utf8: "p"))
            },
            identities: { [Self.identity("twice"), Self.identity("twice")] }
        )
        let second = try TestController(identities: [Self.identity("old")], source: invalid)
        let kept = second.current.handler
        await #expect(throws: ProfileError.domainTwice(account: "main", user: "A")) {
            try await second.controller.updateUserCredentials()
        }
        await #expect(throws: ProfileError.duplicateName("twice")) {
            try await second.controller.fetchNewCertificates()
        }
        #expect(second.current.handler === kept)
        #expect(try identityName(second.current) == "old")
    }

    @Test("An account that the profile does not have is nil, and is not asked for", .row(29)) func unknownAccount()
        async throws
    {
        let test = try TestController()
        let controller = AuthenticationController(test.current, account: "other", source: .none)
        #expect(controller.account == nil)
        await #expect(throws: ProfileError.unknownAccount("other")) { try await controller.updateUserCredentials() }
    }

    @Test("New certificates replace the old ones, and keep a password that was updated", .row(18)) func certificates()
        async throws
    {
        let names = Mutex(["new", "newer"])
        let source = AuthenticationSource(
            credentials: { _ in throw Failure() },
            identities: { [Self.identity(names.withLock { $0.removeFirst() })] }
        )
        let test = try TestController(identities: [Self.identity("old")], source: source)
        #expect(try identityName(test.current) == "old")
        let origin = try Origin(parsing: "https://wiki.acme.example")
        let key = test.current.handler.poolKey(for: origin, path: "/")
        // In place, as callers of the handler may do it.
        try test.current.handler.updateUserCredentials(account: "main", password: SharedSecret(utf8: "In-Place"))
        try await test.controller.fetchNewCertificates()
        #expect(try identityName(test.current) == "new")
        #expect(try sent(test.controller) == "use jdoe In-Place")
        // Connections of the old identity carry no further request.
        #expect(test.current.handler.poolKey(for: origin, path: "/") != key)
        #expect(test.current.handler.compiled.profile.version == 2)
        try await test.controller.fetchNewCertificates()
        #expect(try identityName(test.current) == "newer")
    }

    @Test("A swap keeps sites that came from an image") func images() async throws {
        let account = TestController.account()
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "*.acme.example", name: "wide"),
            schemes: [.basic],
            accounts: [.init(account, sites: ["*.acme.example"])]
        )
        let image = SiteTrie(compiling: try SiteList(parsing: "wiki.acme.example", name: "narrow"))
        let current = CurrentHandler(ChallengeHandler(try CompiledProfile(profile, at: 0, sites: image)))
        let controller = AuthenticationController(current, account: "main", source: .credentials("ada", "p"))
        try await controller.updateUserCredentials()
        let method = TestController.Method.basic
        #expect(controller.canHandle(TestController.space(method)))
        #expect(!controller.canHandle(TestController.space(method, host: "files.acme.example")))
    }

    @Test("Calls that come while the user is asked share the answer") func oneQuestion() async throws {
        let questions = Mutex(0)
        let (answered, answer) = AsyncStream<Void>.makeStream()
        let source = AuthenticationSource(
            credentials: { names in
                questions.withLock { $0 += 1 }
                for await _ in answered { break }
                return UserCredentials(user: names.user, password: SharedSecret(utf8: "New-Horse"))
            },
            identities: { throw Failure() }
        )
        let controller = try TestController(source: source).controller
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await controller.updateUserCredentials() } }
            try await eventually("all calls wait") { controller.updates.waiterCount == 8 }
            answer.yield()
            try await group.waitForAll()
        }
        #expect(questions.withLock { $0 } == 1)
        #expect(try sent(controller) == "use jdoe New-Horse")
    }

    @Test("What a source answers after it was cancelled is not used") func cancelled()
        async throws
    {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (answered, answer) = AsyncStream<Void>.makeStream()
        weak let late: SharedSecret?
        let reply: Mutex<SharedSecret?>
        do {
            let secret = SharedSecret(utf8: "Late-Horse")
            late = secret
            reply = Mutex(secret)
        }
        let source = AuthenticationSource(
            credentials: { names in
                ask.yield()
                // Does not react to the cancellation: it waits in a task of its own.
                await Task.detached { for await _ in answered { break } }.value
                return UserCredentials(user: names.user, password: try #require(reply.withLock { $0.take() }))
            },
            identities: { throw Failure() }
        )
        let test = try TestController(source: source)
        let handler = test.current.handler
        let update = Task { try await test.controller.updateUserCredentials() }
        for await _ in asked { break }
        update.cancel()
        await #expect(throws: CancellationError.self) { try await update.value }
        answer.yield()
        // What is not used is released. A profile that used it would keep it.
        try await eventually("the late answer is released or used") {
            late == nil || test.current.handler !== handler
        }
        #expect(test.current.handler === handler)
    }

    @Test("The forms without async complete once, with the error or without one") func completions() async throws {
        let test = try TestController(source: .credentials("ada", "p"))
        let updated = await withCheckedContinuation { continuation in
            test.controller.updateUserCredentials { continuation.resume(returning: ($0, $1 == nil)) }
        }
        #expect(updated == (true, true))
        let fetched = await withCheckedContinuation { continuation in
            test.controller.fetchNewCertificates {
                continuation.resume(returning: ($0, $1 is AuthenticationSource.Asked))
            }
        }
        #expect(fetched == (false, true))
    }
}
