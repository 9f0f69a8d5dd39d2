import HTTPTypes
import LiveServers
import Sallyport
import Testing

@testable import ChallengeHandling

/// Each reason to send no answer appears in the event that ends the request.
@Suite struct RefusalEventTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let code: String
        var origin = "https://wiki.acme.example"
        var schemes: [AuthenticationScheme] = [.ntlm, .digest, .basic]
        var request: (method: String, body: OutgoingRequest.Body) = ("GET", .none)
        var isForwarded = false
        var connection = ConnectionTraits(id: 1)
        var change: @Sendable (inout SecurityProfile) -> Void = { _ in }
        /// The responses of requests before, and of the last one, with paths.
        let requests: [(path: String, responses: [(status: Int, fields: HTTPFields)])]

        var testDescription: String { code }

        func run(_ recorder: EventRecorder) throws -> [AuthenticationEvent] {
            var profile = try TestProfile.make(schemes: schemes)
            change(&profile)
            let clock = ManualClock()
            let handler = ChallengeHandler(
                try CompiledProfile(profile, at: 0),
                clock: clock,
                observer: recorder.observer
            )
            let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
            let origin = try Origin(parsing: origin)
            for (path, responses) in requests {
                _ = recorder.take()
                let outgoing = OutgoingRequest(
                    origin: origin,
                    method: request.method,
                    target: path,
                    body: request.body
                )
                var authentication = handler.authentication(
                    of: outgoing,
                    by: isForwarded ? .forwarded(by: proxy) : .direct,
                    answersInAdvance: false
                )
                _ = authentication.begin()
                for (status, fields) in responses {
                    _ = authentication.received(status: status, fields: fields, on: connection)
                }
            }
            return recorder.take()
        }
    }

    static let basic = TestProfile.fields("Basic realm=x")
    static let refused: [(status: Int, fields: HTTPFields)] = [(401, basic), (401, basic)]
    static let accepted: [(status: Int, fields: HTTPFields)] = [(401, basic), (200, [:])]

    static func allowCleartext(_ profile: inout SecurityProfile) { profile.accounts[0].allowsCleartext = true }

    static let cases: [Case] = [
        Case(code: "site-not-allowed", origin: "https://evil.example", requests: [("/", [(401, basic)])]),
        Case(code: "no-supported-scheme", requests: [("/", [(401, TestProfile.fields("Hawk id=1"))])]),
        Case(
            code: "malformed-challenge",
            requests: [("/", [(401, TestProfile.fields(#"NTLM a="b"#, "Basic realm=x"))])]
        ),
        Case(
            code: "cleartext",
            origin: "http://proxy.acme.example:3128",
            requests: [("/", [(401, basic)])]
        ),
        Case(code: "connection-shared", connection: .shared, requests: [("/", [(401, TestProfile.fields("NTLM"))])]),
        Case(
            code: "proxy-without-sessions",
            origin: "http://proxy.acme.example:3128",
            isForwarded: true,
            requests: [("/", [(401, TestProfile.fields("NTLM"))])]
        ),
        Case(
            code: "downgraded",
            requests: [
                ("/", [(401, TestProfile.fields(#"Digest realm="x", nonce="n", qop="auth""#)), (200, [:])]),
                ("/", [(401, basic)]),
            ]
        ),
        Case(
            code: "unbound",
            change: { $0.accounts[0].allowsUnbound = false },
            requests: [("/", [(401, TestProfile.fields("NTLM"))])]
        ),
        Case(code: "body-spent", request: ("POST", .once), requests: [("/", [(401, basic)])]),
        Case(code: "no-credential", change: { $0.accounts = [] }, requests: [("/", [(401, basic)])]),
        Case(code: "credentials-refused", requests: [("/", refused)]),
        Case(code: "budget-spent", requests: [("/", refused), ("/b", [(401, basic)])]),
        Case(
            code: "path-withheld",
            requests: [("/a", accepted), ("/b/c", refused), ("/b/c", [(401, basic)])]
        ),
        Case(
            code: "account-paused",
            change: { $0.lockout.maximumRefusals = 1 },
            requests: [("/", refused), ("/", [(401, basic)])]
        ),
        Case(
            code: "exchange-failed",
            requests: [("/", [(401, TestProfile.fields(#"Digest realm="x", nonce="n", algorithm=SHA-1, qop="auth""#))])]
        ),
    ]

    @Test(arguments: cases) func refusal(_ refusal: Case) throws {
        let events = try refusal.run(EventRecorder())
        #expect(events.last?.refusal?.code == refusal.code)
        // A refusal of the password is said in words of its own.
        let words = refusal.code == "credentials-refused" ? "refused" : refusal.code
        #expect(events.last.map { "\($0)".contains(words) } == true, "\(String(describing: events.last))")
        // A refusal that is decided at the first challenge is explained.
        if refusal.code != "credentials-refused" {
            let selection = try #require(events.compactMap(\.selection).last)
            #expect(selection.chosen == nil)
        }
    }

    @Test("A scheme that may not answer is passed over with its reason") func passedOver() throws {
        let offer = TestProfile.fields("NTLM", #"Digest realm="x", nonce="n", qop="auth""#)
        let shared = Case(code: "", connection: .shared, requests: [("/", [(401, offer)])])
        let selection = try #require(try shared.run(EventRecorder()).compactMap(\.selection).first)
        #expect(selection.chosen == .digest)
        #expect(selection.offers.map(\.fate) == [.obstacle(.connectionShared(.ntlm)), .chosen])

        let unknown = TestProfile.fields(
            #"Digest realm="x", nonce="n", algorithm=SHA-1, qop="auth""#,
            "NTLM",
            "Basic realm=x"
        )
        let order = Case(code: "", schemes: [.digest, .ntlm, .basic], requests: [("/", [(401, unknown)])])
        let other = try #require(try order.run(EventRecorder()).compactMap(\.selection).first)
        #expect(other.chosen == .ntlm)
        #expect(other.offers.map(\.fate) == [.unmetDemand, .chosen, .lessPreferred])
    }

    @Test("A server without a valid chain is rejected in an event") func rejectedServer() throws {
        let recorder = EventRecorder()
        let handler = try ChallengeHandler(still: TestProfile.make(), observer: recorder.observer)
        _ = recorder.take()
        let host = try Origin(parsing: "https://wiki.acme.example").host
        _ = handler.evaluate(ServerTrust(host: host, chain: nil), now: 0)
        guard case .judged(let judgement)? = recorder.all.first?.content else {
            Issue.record("no event")
            return
        }
        #expect(judgement == ServerJudgement(host: host, decision: .rejected(.chainNotValidated)))
    }
}
