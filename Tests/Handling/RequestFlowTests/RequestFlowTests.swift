import ChallengeHandling
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Testing

@testable import RequestFlow

/// Each rule, event by event.
@Suite struct RequestFlowTests {
    /// A flow of a request to a server that asks for Basic.
    private func flow(
        _ handler: ChallengeHandler? = nil,
        schemes: [AuthenticationScheme] = [.basic],
        method: String = "GET",
        body: OutgoingRequest.Body = .none,
        bodyBytes: Int64 = 0,
        answersOrigin: Bool = true,
        repeatsAnswers: Bool = true
    ) throws -> SentFlow {
        let handler =
            try handler ?? ChallengeHandler(try FlowProfile.compiled(schemes), clock: ManualClock(nanoseconds: 1))
        let request = OutgoingRequest(
            origin: try Origin(parsing: FlowProfile.origin),
            method: method,
            target: "/",
            body: body
        )
        return SentFlow(
            RequestFlow(
                handler,
                request,
                by: .direct,
                FlowFacts(
                    answersInAdvance: true,
                    answersOrigin: answersOrigin,
                    repeatsAnswers: repeatsAnswers,
                    mayBeRepeated: method == "GET",
                    bodyBytes: bodyBytes,
                    mostDroppedBytes: 1_000
                )
            )
        )
    }

    private func response(
        _ status: Int,
        _ challenge: String? = "Basic realm=\"r\"",
        on connection: UInt64 = 1,
        keepsConnection: Bool = true,
        length: Int64? = nil,
        bodyIsSpent: Bool = false
    ) -> FlowResponse {
        FlowResponse(
            status: status,
            fields: status == 401 ? challenge.map { [.wwwAuthenticate: $0] } ?? [:] : [:],
            on: ConnectionTraits(id: connection, security: ConnectionTraits.Security.none),
            keepsConnection: keepsConnection,
            length: length,
            bodyIsSpent: bodyIsSpent
        )
    }

    @Test("A refused response is dropped, and the answer goes out on its connection") func answer() throws {
        var flow = try flow()
        #expect(flow.begin().sent == Sent(.any))
        #expect(flow.received(response(401)).isDrop)
        #expect(flow.dropped(.reusable).sent == Sent(.any, "Basic"))
        #expect(flow.received(response(200)).outcome == .accepted)
    }

    @Test("A challenge of an origin that is not answered is the sender's, also after a lost idle connection")
    func othersChallenge() throws {
        var flow = try flow(answersOrigin: false)
        flow.beginSent()
        #expect(flow.lost(FlowLoss(isReused: true, .unanswered)).sent == Sent(.new))
        #expect(flow.received(response(401)).outcome == .notChallenged)
    }

    @Test("A request that had gone out before its flow is answered like any other") func late() throws {
        var flow = try flow()
        flow.beginSent()
        #expect(flow.received(response(401)).isDrop)
        #expect(flow.dropped(.reusable).sent == Sent(.any, "Basic"))
        #expect(flow.received(response(200)).outcome == .accepted)
    }

    @Test("A host says whether an answer that was lost after its challenge goes out again", arguments: [true, false])
    func lostAnswer(repeats: Bool) throws {
        var flow = try flow(repeatsAnswers: repeats)
        _ = flow.begin()
        _ = flow.received(response(401))
        _ = flow.dropped(.reusable)
        let command = flow.lost(FlowLoss(isReused: false, .unanswered))
        #expect(command.sent == (repeats ? Sent(.new) : nil))
        #expect(command.failure == (repeats ? nil : .connectionLost))
    }

    @Test("Where the connection carries nothing more, the answer goes elsewhere at once") func elsewhere() throws {
        var closing = try flow()
        _ = closing.begin()
        #expect(closing.received(response(401, keepsConnection: false)).sent == Sent(.new, "Basic"))
        var long = try flow()
        _ = long.begin()
        #expect(long.received(response(401, length: 1_001)).sent == Sent(.new, "Basic"))
        var longest = try flow()
        _ = longest.begin()
        #expect(longest.received(response(401, length: 1_000)).isDrop)
        #expect(longest.dropped(.tooLong).sent == Sent(.any, "Basic"))
    }

    @Test("After a refused body of more than 4,096 bytes the answer goes elsewhere", arguments: [4_096, 4_097])
    func longBody(bytes: Int64) throws {
        var flow = try flow(method: "POST", body: .repeatable(.notAvailable), bodyBytes: bytes)
        _ = flow.begin()
        let command = flow.received(response(401))
        if bytes == 4_096 { #expect(command.isDrop) } else { #expect(command.sent == Sent(.new, "Basic")) }
    }

    /// Its first message says nothing of the password and asks for nothing, so the method does not matter.
    @Test("A lost handshake begins anew on another connection, once", arguments: ["GET", "POST"])
    func lostHandshake(method: String) throws {
        var flow = try flow(schemes: [.ntlm], method: method)
        _ = flow.begin()
        #expect(flow.received(response(401, "NTLM")).isDrop)
        #expect(flow.dropped(.reusable).sent == Sent(.any, "NTLM", body: .empty))
        #expect(flow.lost(FlowLoss(isReused: false, .unanswered)).sent == Sent(.new))
        #expect(flow.received(response(401, "NTLM", on: 2)).isDrop)
        #expect(flow.dropped(.reusable).sent == Sent(.any, "NTLM", body: .empty))
        let end = flow.lost(FlowLoss(isReused: false, .unanswered))
        guard case .fail(.handshakeLost) = end else {
            Issue.record("\(end)")
            return
        }
    }

    @Test("A lost reused connection: a method that may be repeated goes out once more")
    func lostConnection() throws {
        var flow = try flow()
        _ = flow.begin()
        #expect(flow.lost(FlowLoss(isReused: true, .unanswered)).sent == Sent(.new))
        #expect(flow.lost(FlowLoss(isReused: true, .unanswered)).failure == .connectionLost)
    }

    @Test(
        "A lost connection ends the request where it was new, has answered, or the method may not be repeated",
        arguments: [
            ("GET", FlowLoss(isReused: false, .unanswered)), ("GET", FlowLoss(isReused: true, .answered)),
            ("POST", FlowLoss(isReused: true, .unanswered)),
            ("GET", FlowLoss(isReused: true, .unanswered, bodyIsSpent: true)),
        ]
    )
    func lostForGood(method: String, loss: FlowLoss) throws {
        var flow = try flow(method: method)
        _ = flow.begin()
        #expect(flow.lost(loss).failure == .connectionLost)
    }

    @Test(
        "Nothing was done where no byte has left, or the body still waits",
        arguments: [FlowLoss.Progress.nothingSent, .bodyHeld]
    )
    func nothingDone(progress: FlowLoss.Progress) throws {
        var flow = try flow(method: "POST", body: .once, bodyBytes: 5)
        _ = flow.begin()
        #expect(flow.lost(FlowLoss(isReused: true, progress)).sent == Sent(.new, expectsContinue: true))
    }

    @Test("A server that closes after its challenge without saying so is asked again") func closedAfterChallenge()
        throws
    {
        var flow = try flow()
        _ = flow.begin()
        _ = flow.received(response(401))
        #expect(flow.dropped(.reusable).sent == Sent(.any, "Basic"))
        #expect(flow.lost(FlowLoss(isReused: false, .unanswered)).sent == Sent(.new))
    }

    @Test("A success that has not seen the body is not the result") func unseenBody() throws {
        var flow = try flow(schemes: [.ntlm], method: "POST", body: .repeatable(.notAvailable), bodyBytes: 5)
        _ = flow.begin()
        _ = flow.received(response(401, "NTLM"))
        #expect(flow.dropped(.reusable).sent == Sent(.any, "NTLM", body: .empty))
        // On the same connection: the party may ask on another one again.
        #expect(flow.received(response(200)).isDrop)
        #expect(flow.dropped(.reusable).sent == Sent(.any))
        #expect(flow.received(response(401, "NTLM")).isDrop)
        #expect(flow.dropped(.reusable).sent == Sent(.any, "NTLM", body: .empty))
        #expect(flow.received(response(200)).failure == .bodyUnseen)
    }

    @Test("A connection that was given back while the request waited is not asked for again") func givenBack() throws {
        let handler = ChallengeHandler(try FlowProfile.compiled([.basic]), clock: ManualClock(nanoseconds: 1))
        var first = try flow(handler)
        var second = try flow(handler)
        _ = first.begin()
        _ = second.begin()
        #expect(first.received(response(401)).isDrop)
        guard case .wait = second.received(response(401, on: 2)) else {
            Issue.record("the second request does not wait")
            return
        }
        _ = first.dropped(.reusable)
        #expect(first.received(response(200)).outcome == .accepted)
        #expect(second.resumed(keepsConnection: false).sent == Sent(.any, "Basic"))
    }

    @Test("A handshake that begins after a wait needs a connection that nothing has authenticated")
    func handshakeAfterWait() throws {
        let handler = ChallengeHandler(try FlowProfile.compiled([.ntlm]), clock: ManualClock(nanoseconds: 1))
        var first = try flow(handler)
        var second = try flow(handler, method: "POST", body: .repeatable(.notAvailable), bodyBytes: 5)
        _ = first.begin()
        _ = second.begin()
        #expect(first.received(response(401, "NTLM")).isDrop)
        guard case .wait = second.received(response(401, "NTLM", on: 2)) else {
            Issue.record("the second request does not wait")
            return
        }
        #expect(first.dropped(.reusable).sent == Sent(.any, "NTLM", body: .empty))
        #expect(first.received(response(401, "NTLM \(try FlowParty.ntlm())")).isDrop)
        #expect(first.dropped(.reusable).sent == Sent(.same, "NTLM"))
        #expect(first.received(response(200)).outcome == .accepted)
        #expect(second.resumed(keepsConnection: false).sent == Sent(.new, "NTLM", body: .empty))
    }

    @Test("A body that is gone cannot go with an answer, so its request waits for no other one")
    func spentBodyWaitsNot() throws {
        let handler = ChallengeHandler(try FlowProfile.compiled([.basic]), clock: ManualClock(nanoseconds: 1))
        var first = try flow(handler)
        var second = try flow(handler, method: "POST", body: .once, bodyBytes: 5)
        _ = first.begin()
        _ = second.begin()
        #expect(first.received(response(401)).isDrop)
        let end = second.received(response(401, on: 2, bodyIsSpent: true))
        #expect(end.outcome == .withheld(.bodySpent, by: .origin))
    }

    @Test("Bodies that their senders break off do not hold up the next request as losses do", arguments: [true, false])
    func brokenOff(isBrokenOff: Bool) throws {
        let handler = ChallengeHandler(try FlowProfile.compiled([.basic]), clock: ManualClock(nanoseconds: 1))
        for number in 0..<2 as Range<UInt64> {
            var upload = try flow(handler, method: "POST", body: .once, bodyBytes: 5)
            _ = upload.begin()
            let mayBeJudged = [upload.awaitsVerdict]
            _ = upload.received(response(401, on: number, keepsConnection: false))
            #expect(mayBeJudged + [upload.awaitsVerdict] == [false, true])
            let progress: FlowLoss.Progress = isBrokenOff ? .brokenOff : .unanswered
            #expect(upload.lost(FlowLoss(isReused: false, progress)).failure == .connectionLost)
        }
        var next = try flow(handler)
        _ = next.begin()
        let answer = next.received(response(401, on: 3))
        if isBrokenOff {
            // The second response that tells nothing is followed by a second without attempts.
            guard case .wait = answer else {
                Issue.record("\(answer)")
                return
            }
        } else {
            guard case .deliver(.withheld(.resultUnknown, .origin)) = answer else {
                Issue.record("\(answer)")
                return
            }
        }
    }

    @Test("The response to an answer in advance may judge a password, unless its party has just accepted it")
    func advanceInDoubt() throws {
        let clock = ManualClock(nanoseconds: 1)
        let handler = ChallengeHandler(try FlowProfile.compiled([.basic]), clock: clock)
        var first = try flow(handler)
        _ = first.begin()
        #expect(first.received(response(401)).isDrop)
        #expect(first.dropped(.reusable).sent == Sent(.any, "Basic"))
        #expect(first.received(response(200)).outcome == .accepted)
        for (hours, isInDoubt) in [(0, false), (1, true)] {
            clock.advance(by: .seconds(3600 * hours))
            var next = try flow(handler)
            #expect(next.begin().sent == Sent(.any, "Basic"))
            #expect(next.awaitsVerdict == isInDoubt)
            #expect(next.received(response(200)).outcome == .accepted)
        }
    }

    /// When a request goes away whose challenge was answered.
    enum Leaving: CaseIterable {
        /// While the refused response is dropped.
        case dropping
        /// While its answer waits for a connection.
        case due
        /// When its answer has found a closed connection.
        case nothingSent
        /// When its answer has left.
        case sent
    }

    @Test("An answer that has not left tells nothing of its password", arguments: Leaving.allCases)
    func unsent(_ leaving: Leaving) throws {
        let handler = ChallengeHandler(try FlowProfile.compiled([.basic]), clock: ManualClock(nanoseconds: 1))
        for number in 0..<2 as Range<UInt64> {
            var flow = try flow(handler, repeatsAnswers: false)
            _ = flow.begin()
            #expect(flow.received(response(401, on: number)).isDrop)
            flow.isHeld = leaving == .due
            if leaving != .dropping { #expect(flow.dropped(.reusable).sent == Sent(.any, "Basic")) }
            if leaving == .nothingSent {
                let loss = FlowLoss(isReused: false, .nothingSent, bodyIsSpent: true)
                #expect(flow.lost(loss).failure == .connectionLost)
            }
        }
        var next = try flow(handler)
        _ = next.begin()
        let answer = next.received(response(401, on: 3))
        if case .deliver(.withheld(.resultUnknown, .origin)) = answer {
            #expect(leaving == .sent)
        } else {
            #expect(answer.isDrop && leaving != .sent)
        }
    }

    @Test("A message that belongs to a connection which was closed before it ends the handshake by name")
    func closedBeforeMessage() throws {
        var flow = try flow(schemes: [.ntlm])
        _ = flow.begin()
        _ = flow.received(response(401, "NTLM"))
        #expect(flow.dropped(.reusable).sent == Sent(.any, "NTLM", body: .empty))
        #expect(flow.received(response(401, "NTLM \(try FlowParty.ntlm())")).isDrop)
        #expect(flow.dropped(.reusable).sent == Sent(.same, "NTLM"))
        guard case .handshakeLost? = flow.lost(FlowLoss(isReused: false, .nothingSent)).failure else {
            Issue.record("the error names no handshake")
            return
        }
    }

    @Test("A response or a loss before the request has left ends it") func tooEarly() throws {
        for isLost in [true, false] {
            var flow = try flow()
            flow.isHeld = true
            #expect(flow.begin().sent == Sent(.any))
            let command = isLost ? flow.lost(FlowLoss(isReused: true, .unanswered)) : flow.received(response(200))
            #expect(command.failure == .connectionLost)
        }
    }

    @Test("417 to our expectation: once more without it") func expectation() throws {
        var flow = try flow(method: "POST", body: .once, bodyBytes: 5)
        #expect(flow.begin().sent == Sent(.any, expectsContinue: true))
        guard case .send(let again) = flow.received(response(417, keepsConnection: false)) else {
            Issue.record("not sent again")
            return
        }
        #expect(again.connection == .new && !again.expectsContinue && again.holdsBody)
        #expect(flow.received(response(417, bodyIsSpent: true)).outcome == .notChallenged)
    }

    @Test("417 after the body, or to a request without an expectation, is the result") func otherExpectation() throws {
        var spent = try flow(method: "POST", body: .once, bodyBytes: 5)
        _ = spent.begin()
        #expect(spent.received(response(417, bodyIsSpent: true)).outcome == .notChallenged)
        var plain = try flow()
        _ = plain.begin()
        #expect(plain.received(response(417)).outcome == .notChallenged)
    }

    @Test("A server that does not prove itself where it must gives no result") func unproven() throws {
        let compiled = try FlowProfile.compiled([.digest], demandsProof: true)
        let handler = ChallengeHandler(compiled, clock: ManualClock(nanoseconds: 1))
        let request = OutgoingRequest(origin: try Origin(parsing: FlowProfile.origin), method: "GET", target: "/")
        let facts = FlowFacts(answersInAdvance: true, mayBeRepeated: true, bodyBytes: 0, mostDroppedBytes: 1_000)
        var flow = SentFlow(RequestFlow(handler, request, by: .direct, facts))
        _ = flow.begin()
        _ = flow.received(response(401, "Digest realm=\"r\", qop=\"auth\", algorithm=SHA-256, nonce=\"n\""))
        #expect(flow.dropped(.reusable).sent == Sent(.any, "Digest"))
        let end = flow.received(response(200))
        guard case .fail(.notProven(_, by: .origin)) = end else {
            Issue.record("\(end)")
            return
        }
    }

    @Test("A call that does not fit ends the request") func misfit() throws {
        var early = try flow()
        #expect(early.received(response(200)).failure == .connectionLost)
        var late = try flow()
        _ = late.begin()
        _ = late.received(response(200))
        #expect(late.received(response(200)).failure == .connectionLost)
        #expect(late.dropped(.reusable).failure == .connectionLost)
        #expect(late.resumed(keepsConnection: true).failure == .connectionLost)
        #expect(late.lost(FlowLoss(isReused: true, .nothingSent)).failure == .connectionLost)
    }
}
