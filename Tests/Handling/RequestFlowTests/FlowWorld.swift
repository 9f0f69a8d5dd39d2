import ChallengeHandling
import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Synchronization
import TestSupport

@testable import RequestFlow

/// A small world around one account: requests, connections that are lost, callers that leave, and up to two parties that ask for the
/// password. A seed says what happens, and in which order. It keeps the counts that the rules promise.
struct FlowWorld {
    /// What is so in all worlds of a test.
    struct Setting: Sendable {
        var schemes: [AuthenticationScheme] = [.basic]
        var hasProxy = false
        /// How the requests of a relay go, of which only the proxy is answered; `nil` for requests of another host.
        var relays: Relaying?
        var isRight = true
        /// Whether connections are lost, at any time and without a word.
        var loses = false
        /// When callers go away.
        var leaves = Leaving.never

        enum Relaying {
            /// Each with its flow from the start.
            case withFlows
            /// With the answer in advance alone, where there is one, until somebody asks.
            case withAnswers
        }

        enum Leaving {
            case never, atAnyTime
            /// Before what is due has left.
            case unsent
        }
    }

    let setting: Setting
    /// What happened, where it is asked for: describing an event takes longer than the event.
    private(set) var trace: [String]?
    private(set) var violations: [String] = []
    /// Results of requests: the status, or the failure.
    private(set) var results: [String] = []
    private(set) var badLogOns = 0
    /// Requests that began with an answer in place of a flow.
    private(set) var answersAlone = 0

    private var generator: SeededGenerator
    private let handler: ChallengeHandler
    private let clock: ManualClock
    private let origin: Origin
    private let proxy: Origin?
    private var parties: [FlowParty]
    private var requests: [FlowRequest] = []
    private var idle: [FlowConnection] = []
    private var number = 0

    /// The profile is that of the setting's schemes, compiled once for all worlds of a test.
    init(_ setting: Setting, _ compiled: CompiledProfile, seed: UInt64, isTraced: Bool = false) throws {
        self.setting = setting
        trace = isTraced ? [] : nil
        generator = SeededGenerator(seed: seed)
        clock = ManualClock(nanoseconds: 1)
        handler = ChallengeHandler(compiled, clock: clock)
        origin = try Origin(parsing: FlowProfile.origin)
        proxy = setting.hasProxy ? try Origin(parsing: FlowProfile.proxy) : nil
        let asking: [ChallengedParty] =
            setting.relays != nil ? [.proxy] : setting.hasProxy ? [.proxy, .origin] : [.origin]
        parties = try asking.map { try FlowParty($0, setting.schemes, isRight: setting.isRight) }
    }

    /// Whether connections end in an orderly way. Where each loses a handshake, requests may fail.
    private var mayClose: Bool { setting.loses || !setting.schemes.contains(.ntlm) }

    /// The most events of one world: each flow ends long before.
    static let mostEvents = 2_000

    /// Lets `count` requests run to their ends.
    mutating func run(_ count: Int) {
        var started = 0
        for _ in 0..<Self.mostEvents {
            if started < count, requests.isEmpty || chance(20) {
                started += 1
                start()
            } else if requests.isEmpty {
                return
            } else {
                step()
            }
        }
        violations.append("a request does not end")
    }

    private mutating func start() {
        number += 1
        var body: FlowRequest.Body = [.none, .none, .repeatable, .once][pick(4)]
        // A server's challenge in place of the word ends the connection that the proxy has authenticated, each time.
        if body == .once, setting.hasProxy, !setting.loses, setting.schemes.contains(.ntlm) { body = .repeatable }
        let isIdempotent = chance(60)
        let outgoing = OutgoingRequest(
            origin: origin,
            method: isIdempotent ? "GET" : "POST",
            target: "/\(number)",
            body: body.kind
        )
        let facts = FlowFacts(
            answersInAdvance: true,
            answersOrigin: setting.relays == nil,
            repeatsAnswers: setting.relays == nil,
            mayBeRepeated: isIdempotent,
            bodyBytes: body == .none ? 0 : 100,
            mostDroppedBytes: 1_000
        )
        let route = proxy.map { RequestRoute.forwarded(by: $0) } ?? .direct
        let request = FlowRequest(number, RequestFlow(handler, outgoing, by: route, facts), body)
        if setting.relays == .withAnswers, body == .none {
            request.answer = outgoing.toProxy(by: route).flatMap {
                handler.answerInAdvance(to: $0, method: $0.method, target: $0.target)
            }
        }
        request.command = request.answer.map { .send($0.sending) } ?? request.flow.begin()
        if request.answer != nil { answersAlone += 1 }
        note(request, "begins with \(body), \(outgoing.method)")
        requests.append(request)
    }

    private mutating func step() {
        let request = requests[pick(requests.count)]
        if mayLeave(request), chance(setting.leaves == .unsent ? 30 : 3) { return leave(request) }
        request.events += 1
        if request.events > Self.mostEvents / 4 { violations.append("request \(request.number) goes on for ever") }
        if let response = request.response {
            request.response = nil
            request.head = response
            return take(request, request.received(response), "receives \(response.status)")
        }
        switch request.command {
        case .send(let sending): send(sending, request)
        case .drop: drop(request)
        case .wait(let turn): wait(turn, request)
        case .deliver(let outcome): end(request, "\(request.head.map { "\($0.status)" } ?? "nothing") \(outcome)")
        case .fail(let failure): end(request, "\(failure)")
        }
    }

    private func mayLeave(_ request: FlowRequest) -> Bool {
        switch (setting.leaves, request.command) {
        case (.never, _): false
        case (.atAnyTime, _): true
        case (.unsent, .send), (.unsent, .drop), (.unsent, .wait): request.response == nil
        case (.unsent, _): false
        }
    }

    private mutating func take(_ request: FlowRequest, _ command: FlowCommand, _ event: String) {
        note(request, event)
        request.isCalled = nil
        request.command = command
    }

    // MARK: Commands

    private mutating func send(_ sending: RequestSending, _ request: FlowRequest) {
        let (connection, isReused) = connection(for: sending, request)
        request.connection = connection
        request.head = nil
        request.sends += 1
        request.sendHasBegun()
        if request.sends > RequestLimits.sends * 2 + 4 {
            violations.append("request \(request.number) is sent too often")
        }
        guard connection.isOpen else {
            let progress: FlowLoss.Progress = chance(50) ? .nothingSent : .unanswered
            let isSpent = progress == .unanswered && request.sendsBody(sending)
            return lose(request, FlowLoss(isReused: isReused, progress, bodyIsSpent: isSpent), "finds it closed")
        }
        if setting.loses, chance(10) {
            let isSpent = request.sendsBody(sending)
            if isSpent { passBody(request) }
            return lose(request, FlowLoss(isReused: isReused, .unanswered, bodyIsSpent: isSpent), "is lost on its way")
        }
        let (status, fields, wasBad) = judged(sending, on: connection)
        if wasBad { badLogOns += 1 }
        // What is refused before `100 Continue` has sent no body.
        let isHeldBack = sending.holdsBody && status != 200
        if sending.body == .whole, request.body != .none, !isHeldBack { passBody(request) }
        if setting.loses, chance(10) {
            let isSpent = request.body == .once && sending.body == .whole && !isHeldBack
            return lose(
                request,
                FlowLoss(isReused: isReused, chance(50) ? .unanswered : .answered, bodyIsSpent: isSpent),
                "gets no answer"
            )
        }
        let announces = mayClose && chance(10)
        if announces || setting.loses && chance(10) { connection.isOpen = false }
        note(request, "is sent on \(connection.number) with \(sending.fields.map(\.name.rawName)), \(sending.body)")
        request.response = FlowResponse(
            status: status,
            fields: fields,
            on: ConnectionTraits(id: connection.number, security: ConnectionTraits.Security.none),
            keepsConnection: !announces && !isHeldBack,
            length: mayClose && chance(10) ? 2_000 : 100,
            bodyIsSpent: request.body == .once && sending.body == .whole && !isHeldBack
        )
    }

    private mutating func lose(_ request: FlowRequest, _ loss: FlowLoss, _ event: String) {
        request.connection?.isOpen = false
        request.connection = nil
        take(request, request.lost(loss), event)
    }

    private mutating func passBody(_ request: FlowRequest) {
        request.bodies += 1
        if request.body == .once, request.bodies > 1 {
            violations.append("the body of \(request.number) goes out twice")
        }
    }

    private mutating func connection(for sending: RequestSending, _ request: FlowRequest) -> (
        FlowConnection, isReused: Bool
    ) {
        if let own = request.connection, request.keepsConnection, sending.connection != .new { return (own, false) }
        if sending.connection == .same { violations.append("\(request.number) needs a connection that it has not") }
        request.connection?.isOpen = false
        request.keepsConnection = false
        if sending.connection == .any, !idle.isEmpty, chance(80) { return (idle.remove(at: pick(idle.count)), true) }
        number += 1
        return (FlowConnection(UInt64(number)), false)
    }

    /// What the parties say, in their order.
    private mutating func judged(_ sending: RequestSending, on connection: FlowConnection) -> (
        Int, HTTPFields, wasBad: Bool
    ) {
        for index in parties.indices {
            let party = parties[index].party
            let field = party == .proxy ? sending.proxyAuthorization : sending.authorization
            switch parties[index].judge(field?.value, on: connection) {
            case .pass: continue
            case .challenge(let fields, let wasBad): return (party.status, fields, wasBad)
            case .violation(let what):
                violations.append(what)
                return (400, [:], false)
            }
        }
        // Without the word a body that can be sent once may be gone before a challenge comes.
        if setting.loses, sending.expectsContinue, chance(10) { return (417, [:], false) }
        return (200, [:], false)
    }

    private mutating func drop(_ request: FlowRequest) {
        let end: DropEnd = !mayClose || chance(80) ? .reusable : chance(50) ? .unusable : .tooLong
        request.keepsConnection = end == .reusable
        if end != .reusable { request.connection?.isOpen = false }
        take(request, request.flow.dropped(end), "drops the response: \(end)")
    }

    private mutating func wait(_ turn: AttemptTurn, _ request: FlowRequest) {
        if request.isCalled == nil {
            let called = FlowRequest.Call()
            request.isCalled = called
            turn.whenReady { called.flag.store(true, ordering: .relaxed) }
        }
        if request.isCalled?.flag.load(ordering: .relaxed) != true {
            // The clock moves on only if no other request can go on.
            let others = requests.contains { other in
                if case .wait = other.command { return other !== request && other.response != nil }
                return true
            }
            guard !others else { return }
            clock.advance(by: turn.timeLeft + .milliseconds(1))
        }
        let keeps = request.head?.keepsConnection == true && request.connection?.isOpen == true && chance(50)
        if !keeps { release(request) }
        take(request, request.flow.resumed(keepsConnection: keeps), "has its turn")
    }

    // MARK: Ends

    private mutating func leave(_ request: FlowRequest) {
        note(request, "is given up")
        request.connection?.isOpen = false
        requests.removeAll { $0 === request }
    }

    private mutating func end(_ request: FlowRequest, _ result: String) {
        note(request, "ends: \(result)")
        release(request)
        results.append(result)
        requests.removeAll { $0 === request }
    }

    private mutating func release(_ request: FlowRequest) {
        if let connection = request.connection, request.head?.keepsConnection == true { idle.append(connection) }
        request.connection = nil
        request.keepsConnection = false
    }

    private mutating func chance(_ percent: Int) -> Bool { pick(100) < percent }
    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
    private mutating func note(_ request: FlowRequest, _ event: @autoclosure () -> String) {
        trace?.append("\(request.number) \(event()) → \(request.response == nil ? "\(request.command)" : "…")")
    }
}
