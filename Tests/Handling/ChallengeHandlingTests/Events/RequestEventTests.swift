import HTTPTypes
import LiveServers
import Sallyport
import Testing
import WireFormat

@testable import ChallengeHandling

@Suite struct RequestEventTests {
    let recorder = EventRecorder()
    let clock = ManualClock()
    let wiki: Origin
    let proxy: Origin

    init() throws {
        wiki = try Origin(parsing: "https://wiki.acme.example")
        proxy = try Origin(parsing: "http://proxy.acme.example:3128")
    }

    func handler(
        schemes: [AuthenticationScheme] = [.ntlm, .digest, .basic],
        _ change: (inout SecurityProfile) -> Void = { _ in }
    ) throws -> ChallengeHandler {
        var profile = try TestProfile.make(schemes: schemes)
        change(&profile)
        return ChallengeHandler(try CompiledProfile(profile, at: 0), clock: clock, observer: recorder.observer)
    }

    /// Passes responses to one request, on connection 7.
    @discardableResult
    func run(
        _ handler: ChallengeHandler,
        _ request: OutgoingRequest,
        by route: RequestRoute = .direct,
        on connection: ConnectionTraits = ConnectionTraits(id: 7),
        _ responses: (status: Int, fields: HTTPFields)...
    ) -> [AuthenticationEvent] {
        _ = recorder.take()
        do {
            var authentication = handler.authentication(of: request, by: route)
            _ = authentication.begin()
            for response in responses {
                _ = authentication.received(status: response.status, fields: response.fields, on: connection)
            }
        }
        return recorder.take()
    }

    @Test("The events of a handshake tell the whole story, in order") func story() throws {
        let handler = try handler()
        #expect(recorder.codes == ["profile"])
        let events = run(
            handler,
            OutgoingRequest(origin: wiki, target: "/docs/a?token=Query-Secret"),
            (
                401,
                TestProfile.fields("Negotiate", "NTLM", "Basic realm=x", #"Digest realm="x", nonce="n", qop="auth""#)
            ),
            (401, TestProfile.fields("NTLM \(try TestChallenge.ntlm())")),
            (200, [.wwwAuthenticate: "Negotiate proof", .setCookie: "id=1"])
        )
        #expect(
            events.map(\.content.code) == [
                "started", "response", "selection", "answered", "response", "answered", "response", "lockout", "ended",
            ]
        )
        #expect(Set(events.filter { $0.content.code != "lockout" }.map(\.request)) == [1])
        guard case .started(let start) = events[0].content else { return }
        #expect(start.method == "GET" && start.origin == wiki && start.path == "/docs/a" && start.hasQuery)
        #expect(start.profile == handler.compiled.number)

        let selection = try #require(events[2].selection)
        #expect(selection.chosen == .ntlm && selection.account == "jdoe" && selection.accountRule == "*.acme.example")
        #expect(selection.siteRule == "*.acme.example" && selection.site.isAllowed)
        #expect(selection.offers.map(\.scheme.name) == ["negotiate", "ntlm", "basic", "digest"])
        #expect(selection.offers.map(\.fate) == [.notAllowed, .chosen, .lessPreferred, .lessPreferred])

        let answers = events.compactMap(\.answer)
        #expect(answers.map(\.leg) == [1, 2] && answers.map(\.sameConnection) == [false, true])
        #expect(answers.allSatisfy { $0.scheme == .ntlm && $0.account == "jdoe" && !$0.isInAdvance })
        #expect(answers.map(\.channelBinding) == [.unbound(.noCertificate), .unbound(.noCertificate)])

        guard case .response(let last) = events[6].content else { return }
        #expect(last.challenger == nil && last.fields.isEmpty, "proofs and cookies are left out")
        guard case .lockout(let change) = events[7].content else { return }
        #expect(change.before == .unproven && change.now == .proven && change.host == "wiki.acme.example")
        let end = try #require(events[8].end)
        #expect(end.outcome == .accepted && end.status == 200)
        #expect(end.duration == .microseconds(events[8].unixMicroseconds - events[0].unixMicroseconds))
    }

    @Test("An answer in advance is marked, and has the account's name") func inAdvance() throws {
        let handler = try handler()
        let offer = TestProfile.fields("Basic realm=x")
        run(handler, OutgoingRequest(origin: wiki, target: "/a/b"), (401, offer), (200, [:]))
        let events = run(handler, OutgoingRequest(origin: wiki, target: "/a/c"), (200, [:]))
        #expect(events.map(\.content.code) == ["started", "answered", "response", "ended"])
        let answer = try #require(events.compactMap(\.answer).first)
        #expect(answer.isInAdvance && answer.scheme == .basic && answer.account == "jdoe" && answer.leg == 1)
    }

    @Test("A challenge that cannot be met, and weaker schemes beside it, are explained") func unmet() throws {
        let handler = try handler()
        let events = run(
            handler,
            OutgoingRequest(origin: wiki),
            (401, TestProfile.fields(#"Digest realm="x", nonce="n""#, "Basic realm=x"))
        )
        let selection = try #require(events.compactMap(\.selection).first)
        #expect(selection.chosen == nil)
        #expect(events.last?.refusal?.code == "exchange-failed")
    }

    @Test("A proxy and an origin are told apart") func parties() throws {
        let handler = try handler { $0.accounts[0].allowsCleartext = true }
        let events = run(
            handler,
            OutgoingRequest(origin: wiki),
            by: .forwarded(by: proxy),
            (407, TestProfile.fields("Basic realm=p", name: .proxyAuthenticate)),
            (401, TestProfile.fields("Basic realm=o")),
            (200, [:])
        )
        #expect(events.compactMap(\.selection).map(\.party) == [.proxy, .origin])
        #expect(events.compactMap(\.selection).map(\.origin) == [proxy, wiki])
        #expect(events.compactMap(\.answer).map(\.party) == [.proxy, .proxy, .origin])
        #expect(events.last?.end?.outcome == .accepted)
    }

    @Test("A lost handshake, a wait and a dropped request have their events") func others() throws {
        let handler = try handler()
        var closing = TestProfile.fields("NTLM \(try TestChallenge.ntlm())")
        closing[.connection] = "close"
        let lost = run(handler, OutgoingRequest(origin: wiki), (401, TestProfile.fields("NTLM")), (401, closing))
        #expect(lost.map(\.content.code).suffix(3) == ["response", "restarted", "ended"])
        #expect(lost.last?.end?.outcome == .abandoned && lost.last?.end?.status == 401)

        var first = handler.authentication(of: OutgoingRequest(origin: wiki))
        _ = first.begin()
        _ = first.received(status: 401, fields: TestProfile.fields("NTLM"))
        let waiting = run(handler, OutgoingRequest(origin: wiki), (401, TestProfile.fields("NTLM")))
        #expect(waiting.map(\.content.code) == ["started", "response", "waiting", "ended"])
        _ = first.received(status: 200, fields: [:])
    }

    @Test("A request that was described and never begun has no events") func neverBegun() throws {
        let handler = try handler()
        _ = recorder.take()
        do { _ = handler.authentication(of: OutgoingRequest(origin: wiki)) }
        #expect(recorder.all.isEmpty)
    }

    @Test("Successors of a handler keep its observer, and each profile is reported without secrets") func successors()
        throws
    {
        let current = CurrentHandler(try handler())
        current.replace(with: try CompiledProfile(try TestProfile.make(), at: 0))
        try current.handler.updateUserCredentials(account: "jdoe", password: TestProfile.secret("Another-Horse"))
        try current.handler.forgive(account: "jdoe")
        #expect(recorder.codes == ["profile", "profile", "profile", "forgiven"])
        let profiles = recorder.all.compactMap { event in
            if case .profile(let profile) = event.content { profile } else { nil }
        }
        #expect(profiles[0].number != profiles[1].number && profiles[1].number == profiles[2].number)
        // The same password keeps its number, another one gets another.
        let numbers = profiles.map(\.accounts[0].password)
        #expect(numbers[0] == numbers[1] && numbers[1] != numbers[2])
        #expect(profiles.map(\.accounts[1].password).allSatisfy { $0 == profiles[0].accounts[1].password })
        #expect(Set(profiles[0].sites ?? []) == Set(TestProfile.sites.split(separator: "\n").map(String.init)))
        for secret in ["Correct-Horse", "Another-Horse"] { #expect(!recorder.dumped.contains(secret)) }
    }

    @Test("No event contains a password, an answer or a query") func secrets() throws {
        let handler = try handler { $0.accounts[0].allowsCleartext = true }
        var secrets = ["Correct-Horse", Base64.encode(Array("Correct-Horse".utf8).span), "Query-Secret"]
        let challenges = [
            "Basic realm=x", #"Digest realm="x", nonce="n", qop="auth", algorithm=SHA-256"#, "NTLM",
        ]
        for (number, challenge) in challenges.enumerated() {
            // From weak to strong, so that no offer is a downgrade.
            let target = "/\(number)?password=Query-Secret"
            var authentication = handler.authentication(of: OutgoingRequest(origin: wiki, target: target))
            var step = authentication.begin()
            step = authentication.received(status: 401, fields: TestProfile.fields(challenge))
            if challenge == "NTLM" {
                let fields = TestProfile.fields("NTLM \(try TestChallenge.ntlm())")
                step = authentication.received(status: 401, fields: fields)
            }
            guard case .send(let sending) = step else { continue }
            let value = try #require(sending.authorization?.value)
            secrets.append(String(value.drop { $0 != " " }.dropFirst()))
            for part in value.split(separator: ", ") where part.hasPrefix("response=") {
                secrets.append(String(part.dropFirst("response=".count)).filter { $0 != "\"" })
            }
            let proof: HTTPFields = [HTTPField.Name("Authentication-Info")!: #"rspauth="Proof-Of-Server""#]
            _ = authentication.received(status: 200, fields: proof)
        }
        #expect(secrets.count == 7)
        let dumped = recorder.dumped + "Proof"
        #expect(dumped.contains("jdoe"))
        for secret in secrets + ["Proof-Of-Server"] { #expect(!dumped.contains(secret)) }
    }
}
