internal import HTTPAuthentication
internal import HTTPTypes
internal import NIOCore
internal import Sallyport
internal import SallyportNIO
internal import WireFormat

/// Decides about the password for a SOCKS proxy, and learns whether it is right.
///
/// RFC 1929 sends user and password in clear text, as Basic does. The same rules apply: the site, the account, its opt-in to clear
/// text, one attempt at a time, and the count of refusals. So the proxy's wish is given to the handler as a challenge of Basic.
final class SOCKSLogOn {
    /// A user name and a password, in UTF-8.
    typealias Answer = (user: [UInt8], password: [UInt8])

    /// What a SOCKS proxy asks for, in the words of HTTP.
    private static let challenge = HTTPFields([
        HTTPField(name: .proxyAuthenticate, value: "Basic realm=\"SOCKS\", charset=\"UTF-8\"")
    ])

    let parent: RelayParent
    private let loop: LoopContext
    private let request: OutgoingRequest
    /// The accounts of the client.
    private let accounts: AnsweringAccounts
    private var handler: ChallengeHandler
    /// The authentication that is under way.
    private var driver: RequestAuthentication?
    private var turnWait: TurnWait?
    private var asking: Task<Void, Never>?
    /// What waits for ``asking``.
    private var whenAsked: ((RelayRefusal?) -> Void)?
    private var repetitions = 0
    private var hasBegunAgain = false

    /// - Parameter handler: the request's own, whose accounts the pool's key names.
    init(_ loop: LoopContext, at parent: RelayParent, _ handler: ChallengeHandler, _ accounts: AnsweringAccounts) {
        self.loop = loop
        self.parent = parent
        (self.handler, self.accounts) = (handler, accounts)
        request = OutgoingRequest(origin: parent.origin, method: "GET", target: "/", body: .none)
    }

    private var route: RequestRoute { .forwarded(by: parent.origin) }
    /// Whether a person or a store is asked.
    var isAsking: Bool { asking != nil }

    /// Lets the question stay open, although the request has waited long enough.
    ///
    /// - Returns: whether it stays open.
    func leaveQuestionOpen() -> Bool {
        guard let question = asking else { return false }
        asking = nil
        return loop.core.keepOpen(question)
    }

    /// Ends what still waits.
    func cancel() {
        turnWait?.cancel()
        asking?.cancel()
        (turnWait, asking, whenAsked) = (nil, nil, nil)
        driver = nil
    }

    /// Whether the handshake may begin again on another connection, because the proxy closed the last one: once.
    func mayBeginAgain() -> Bool {
        defer { hasBegunAgain = true }
        return !hasBegunAgain
    }

    /// Finds the answer; `done` is called once, unless ``cancel()`` comes before.
    func find(_ done: @escaping (Result<Answer, RelayRefusal>) -> Void) {
        var driver = handler.proxyAuthentication(of: request, by: route)
        let first = driver.begin()
        self.driver = consume driver
        // An answer in advance is one already.
        if case .send(let sending) = first, sending.proxyAuthorization == nil, let step = challenged() {
            return perform(step, done)
        }
        perform(first, done)
    }

    /// The proxy asks for a password; `nil` if nothing is under way.
    private func challenged() -> RequestStep? {
        driver?.received(
            status: ParentStatus.challenge,
            fields: Self.challenge,
            on: ConnectionTraits(id: ConnectionNumber.next()),
            bodyWasSent: false
        )
    }

    private func perform(_ step: RequestStep, _ done: @escaping (Result<Answer, RelayRefusal>) -> Void) {
        switch step {
        case .send(let sending): done(answer(sending))
        case .wait(let turn):
            turnWait = TurnWait(turn, on: loop.eventLoop) { [weak self] in
                guard let self else { return }
                turnWait = nil
                // The relay gives a connection back while a request waits.
                if let step = driver?.resume(keepsConnection: false) { perform(step, done) }
            }
        case .deliver(.withheld(let refusal, _)):
            ask(after: refusal) { [weak self] failure in
                guard let failure else {
                    self?.find(done)
                    return
                }
                done(.failure(failure))
            }
        case .deliver, .needs: done(.failure(.socks(parent, .noPassword)))
        }
    }

    /// User and password of an answer of Basic.
    private func answer(_ sending: RequestSending) -> Result<Answer, RelayRefusal> {
        let value = sending.proxyAuthorization?.value ?? ""
        guard value.hasPrefix("Basic "), let pair = try? Base64.decode(value.dropFirst(6)),
            let colon = pair.firstIndex(of: UInt8(ascii: ":"))
        else { return failure(.noPassword) }
        if let user = parent.user, !pair[..<colon].elementsEqual(user.utf8) {
            let space = ProtectionSpace(origin: parent.origin, kind: .http(schemes: [], party: .proxy))
            return failure(.otherUser(account: handler.account(for: space)?.name ?? ""))
        }
        return .success((Array(pair[..<colon]), Array(pair[(colon + 1)...])))
    }

    /// The attempt ends without a message, so that others need not wait for it.
    private func failure(_ error: SOCKSError) -> Result<Answer, RelayRefusal> {
        driver = nil
        return .failure(.socks(parent, error))
    }

    /// The proxy took the password.
    func accepted() {
        let connection = ConnectionTraits(id: ConnectionNumber.next())
        guard driver?.received(status: 200, fields: [:], on: connection, bodyWasSent: false) != nil else { return }
        driver = nil
        guard let authenticator = accounts.authenticator,
            authenticator.noteEnd(.accepted, of: request, by: route, with: handler, canRepeat: false)
        else { return }
        let call = call(authenticator)
        loop.core.tasks.run { await call.tellAccepted() }
    }

    private func call(_ authenticator: Authenticator) -> AuthenticatorCall {
        AuthenticatorCall(authenticator, request, by: route, handler, repetitions: repetitions)
    }

    /// The proxy refused the password: `done` gets `nil` if another attempt on a new connection may follow.
    func refused(_ done: @escaping (RelayRefusal?) -> Void) {
        guard let step = challenged() else { return done(.socks(parent, .badLogOn)) }
        driver = nil
        switch step {
        case .deliver(.withheld(let refusal, _)):
            if case .credentialsRefused(let account, _) = refusal {
                loop.noteBadLogOn(account, by: "\(parent)")
            }
            ask(after: refusal, done)
        // What the handler would send now goes through the same rules on the next connection.
        case .send where repetitions < Self.mostRepetitions, .wait where repetitions < Self.mostRepetitions:
            repetitions += 1
            done(nil)
        default: done(.socks(parent, .badLogOn))
        }
    }

    /// The most connections of one handshake that were refused, whatever the authenticator says.
    private static let mostRepetitions = 4

    /// Asks the store or a person for a password; `done` gets `nil` if there is another one now.
    private func ask(after refusal: Refusal, _ done: @escaping (RelayRefusal?) -> Void) {
        driver = nil
        guard let authenticator = accounts.authenticator, repetitions < Self.mostRepetitions else {
            return done(.withheld(refusal))
        }
        let call = call(authenticator)
        if refusal == .noCredential, call.offerGap(by: .proxy, Self.challenge) == .cleartext {
            return done(.socks(parent, .cleartext))
        }
        whenAsked = done
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        asking = loop.core.ask {
            let advice = await call.advice(after: .withheld(refusal, by: .proxy), Self.challenge)
            eventLoop.execute { bound.value.advised(advice, after: refusal) }
        }
    }

    private func advised(_ advice: Result<AuthenticatorAdvice, any Error>, after refusal: Refusal) {
        // Not after a cancellation.
        guard let done = whenAsked else { return }
        (asking, whenAsked) = (nil, nil)
        switch advice {
        case .success(.repeatRequest):
            repetitions += 1
            handler = accounts.current.handler
            done(nil)
        case .success(.deliver): done(.withheld(refusal))
        case .failure(let error): done(.asking(error))
        }
    }
}

@available(*, unavailable)
extension SOCKSLogOn: Sendable {}
