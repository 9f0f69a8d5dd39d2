import ChallengeHandling
import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Secrets
import Testing

@testable import RequestFlow

/// Answers to a proxy that go out without a flow of their request. That a relay does with them what it does with flows shows
/// ``FlowSimulationTests``.
@Suite struct AloneAnswerTests {
    private let proxy: ChallengedRequest
    private let route: RequestRoute
    private let outgoing: OutgoingRequest

    init() throws {
        let origin = try Origin(parsing: FlowProfile.proxy)
        proxy = ChallengedRequest(proxy: origin, method: "CONNECT", target: "")
        route = .forwarded(by: origin)
        outgoing = .toBeRelayed(
            origin: try Origin(parsing: "http://www.other.example"),
            method: "GET",
            target: "/a",
            body: .none
        )
    }

    private static let digest = "Digest realm=\"r\", nonce=\"n1\", qop=\"auth\", algorithm=SHA-256"

    private func handler(
        _ scheme: AuthenticationScheme = .basic,
        clock: ManualClock = ManualClock(nanoseconds: 1),
        observer: EventObserver? = nil
    ) throws -> ChallengeHandler {
        ChallengeHandler(try FlowProfile.compiled([scheme]), clock: clock, observer: observer)
    }

    private func flow(_ handler: ChallengeHandler) -> RequestFlow {
        let facts = FlowFacts(
            answersInAdvance: true,
            answersOrigin: false,
            repeatsAnswers: false,
            mayBeRepeated: true,
            bodyBytes: 0,
            mostDroppedBytes: 1_000
        )
        return RequestFlow(handler, outgoing, by: route, facts)
    }

    private func response(_ status: Int, _ fields: HTTPFields = [:]) -> FlowResponse {
        FlowResponse(status: status, fields: fields, on: .http1, keepsConnection: true)
    }

    /// One request that the proxy challenges, and whose answer it accepts.
    private func prove(_ handler: ChallengeHandler, _ challenge: String) throws {
        var flow = flow(handler)
        guard case .send = flow.begin() else { throw AloneError.notSent }
        flow.sendHasBegun()
        #expect(flow.received(response(407, [.proxyAuthenticate: challenge])).isDrop)
        guard case .send(let sending) = flow.dropped(.reusable), sending.hasAnswer else { throw AloneError.notSent }
        flow.sendHasBegun()
        guard case .deliver(.accepted) = flow.received(response(200)) else { throw AloneError.notAccepted }
    }

    private func answer(_ handler: ChallengeHandler) -> AdvanceAnswer? {
        handler.answerInAdvance(to: proxy, method: "GET", target: "http://www.other.example/a")
    }

    @Test("There is one after the proxy has accepted an answer, and it is that of a flow") func first() throws {
        let handler = try handler()
        #expect(answer(handler) == nil)
        try prove(handler, "Basic realm=\"r\"")
        let alone = try #require(answer(handler))
        // RFC 7617: base64 of `jdoe:Correct-Horse`, by coreutils.
        let value = "Basic amRvZTpDb3JyZWN0LUhvcnNl"
        #expect(alone.sending.proxyAuthorization?.value == value)
        #expect(
            alone.sending.readyLine.map { String(decoding: $0, as: UTF8.self) } == "Proxy-Authorization: \(value)\r\n"
        )
        var flow = flow(handler)
        guard case .send(let sending) = flow.begin() else { throw AloneError.notSent }
        #expect(sending == alone.sending)
    }

    /// Of another form than a path, no answer is repeated without a description of the request.
    @Test(
        "An origin gets a repeated answer where a request that is described does",
        arguments: [
            "/docs/a", "/docs/", "/docs", "/", "//docs/a", "/docs/../b", "/%64ocs/a", "/docs/a?b=/c", "/docs?/docs/a",
            "/docs/http://x/", "/docs/\u{301}", "/docs\u{301}/a", "", "*", "?q", "docs/a",
            "http://wiki.acme.example/docs/a",
        ]
    )
    func repeatedToOrigin(target: String) throws {
        let handler = try handler()
        let known = OutgoingRequest(origin: try Origin(parsing: FlowProfile.origin), target: "/docs/start")
        let facts = FlowFacts(answersInAdvance: true, mayBeRepeated: true, bodyBytes: 0, mostDroppedBytes: 1_000)
        var flow = RequestFlow(handler, known, by: .direct, facts)
        guard case .send = flow.begin() else { throw AloneError.notSent }
        flow.sendHasBegun()
        #expect(flow.received(response(401, [.wwwAuthenticate: "Basic realm=\"r\""])).isDrop)
        guard case .send = flow.dropped(.reusable) else { throw AloneError.notSent }
        flow.sendHasBegun()
        guard case .deliver(.accepted) = flow.received(response(200)) else { throw AloneError.notAccepted }
        let described = OutgoingRequest(like: known, method: "GET", target: target, body: .none)
        let sending = handler.answerInAdvance(to: described)?.sending
        let repeated = handler.answerRepeated(to: known, target: target)?.sending
        #expect(repeated == (target.first == "/" ? sending : nil))
        #expect((repeated == nil) == !target.utf8.starts(with: "/docs/".utf8), "RFC 7617 section 2.2")
    }

    @Test("The line of Digest is its field") func digestLine() throws {
        let handler = try handler(.digest)
        try prove(handler, Self.digest)
        let sending = try #require(answer(handler)).sending
        let value = try #require(sending.proxyAuthorization?.value)
        #expect(value.contains("uri=\"http://www.other.example/a\"") && value.contains("nc=00000002"))
        #expect(sending.readyLine.map { String(decoding: $0, as: UTF8.self) } == "Proxy-Authorization: \(value)\r\n")
        #expect(sending.fields.map(\.value) == [value] && sending.hasAnswer && sending.authorization == nil)
    }

    @Test("There is none a while after the last success, where one request must try the password alone") func lease()
        throws
    {
        let clock = ManualClock(nanoseconds: 1)
        let handler = try handler(clock: clock)
        try prove(handler, "Basic realm=\"r\"")
        clock.advance(by: .milliseconds(99))
        let alone = try #require(answer(handler))
        alone.sendHasBegun()
        #expect(alone.isAccepted(status: 200, fields: [:], isPassedOn: true))
        clock.advance(by: .milliseconds(99))
        #expect(answer(handler) != nil)
        clock.advance(by: .milliseconds(2))
        #expect(answer(handler) == nil)
    }

    @Test("A refusal of one ends the others, and is the flow's that takes it over") func refused() throws {
        let handler = try handler()
        try prove(handler, "Basic realm=\"r\"")
        let (first, second) = (try #require(answer(handler)), try #require(answer(handler)))
        first.sendHasBegun()
        second.sendHasBegun()
        var flow = flow(handler)
        flow.beginSent(carrying: first)
        guard
            case .deliver(.withheld(.credentialsRefused, by: .proxy)) = flow.received(
                response(407, [.proxyAuthenticate: "Basic realm=\"r\""])
            )
        else { throw AloneError.notRefused }
        #expect(answer(handler) == nil)
        // It began before the refusal was known, so its success does not open the place again.
        #expect(second.isAccepted(status: 200, fields: [:], isPassedOn: true))
        #expect(answer(handler) == nil)
    }

    @Test("A replaced password does not go out") func replaced() throws {
        let handler = try handler()
        try prove(handler, "Basic realm=\"r\"")
        try handler.updateUserCredentials(account: "jdoe", password: SharedSecret(utf8: "New-Horse"))
        #expect(answer(handler) == nil)
    }

    @Test("A proxy that proves itself wrongly is judged by the flow, whose request has no result") func unproven()
        throws
    {
        let handler = try handler(.digest)
        try prove(handler, Self.digest)
        let alone = try #require(answer(handler))
        alone.sendHasBegun()
        let wrong: HTTPFields = [try #require(HTTPField.Name("Proxy-Authentication-Info")): "rspauth=\"00\", qop=auth"]
        #expect(!alone.isAccepted(status: 200, fields: wrong, isPassedOn: true))
        var flow = flow(handler)
        flow.beginSent(carrying: alone)
        guard case .fail(.notProven(_, by: .proxy)) = flow.received(response(200, wrong)) else {
            throw AloneError.notRefused
        }
    }

    @Test("With an observer each request has a flow, which tells of its steps") func observed() throws {
        let handler = try handler(observer: EventObserver { _ in })
        try prove(handler, "Basic realm=\"r\"")
        #expect(answer(handler) == nil)
    }

    private enum AloneError: Error { case notSent, notAccepted, notRefused }
}
