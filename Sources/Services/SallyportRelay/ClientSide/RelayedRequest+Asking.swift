internal import HTTPAuthentication
internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import RequestFlow
internal import Sallyport
internal import SallyportNIO

/// Passwords and tokens that a person or a store is asked for.
extension RelayedRequest {
    private func call(_ authenticator: Authenticator, by route: RequestRoute? = nil) -> AuthenticatorCall {
        AuthenticatorCall(authenticator, outgoing(), by: route ?? self.route, handler, repetitions: repetitions)
    }

    /// Runs a question, and goes on with its result on the event loop, unless the client has gone away.
    private func ask<Found: Sendable>(
        _ question: @escaping @Sendable () async -> Found,
        _ goOn: @escaping (RelayedRequest, Found) -> Void
    ) -> Task<Void, Never> {
        client.deadline = loop.now + loop.limits.asking
        let eventLoop = loop.eventLoop
        let bound = NIOLoopBound((self, goOn), eventLoop: eventLoop)
        return loop.core.ask {
            let found = await question()
            eventLoop.execute {
                let (exchange, goOn) = bound.value
                guard exchange.isCurrent else { return }
                exchange.client.deadline = .distantFuture
                exchange.stage = .underWay
                goOn(exchange, found)
            }
        }
    }

    /// Waits for the token of the request, and starts it then. A request for which no token comes does not go out.
    func prepare(_ authenticator: Authenticator) {
        let call = call(authenticator)
        stage = .preparing(
            ask {
                await call.prepare()
            } _: { exchange, result in
                if case .failure(let error) = result { return exchange.refuse(.token("\(error)")) }
                exchange.beginAnew(at: exchange.pool, by: exchange.accounts.current.handler)
                exchange.client.answerServer(exchange)
                exchange.start()
            }
        )
    }

    /// The party gets no answer: somebody may know a password, otherwise the client learns why.
    ///
    /// - Parameter route: how the request reaches the party; `nil` for the route of the exchange.
    func withheld(
        _ refusal: Refusal,
        _ fields: HTTPFields?,
        by party: ChallengedParty = .proxy,
        on route: RequestRoute? = nil
    ) {
        let place = party == .origin ? destination.origin : pool.proxy ?? pool.origin
        if case .credentialsRefused(let account, _) = refusal { loop.noteBadLogOn(account, by: "\(place)") }
        let known = fields ?? flow?.challenge?.fields
        guard let authenticator = accounts.authenticator, let challenge = known, !body.isGone else {
            return refuse(.withheld(refusal, by: party, gap: nil))
        }
        guard mayWaitLong else { return refuse(.clientLeft) }
        giveBackUpstream()
        let call = call(authenticator, by: route)
        let gap = call.offerGap(by: party, challenge)
        stage = .asking(
            ask {
                await call.advice(after: .withheld(refusal, by: party), challenge)
            } _: { exchange, advice in
                switch advice {
                case .success(.repeatRequest):
                    exchange.repetitions += 1
                    exchange.beginAnew(at: exchange.pool, by: exchange.accounts.current.handler)
                    exchange.beginWithFlow()
                case .success(.deliver) where party == .origin && refusal == .noCredential: exchange.leaveToClient()
                case .success(.deliver): exchange.refuse(.withheld(refusal, by: party, gap: gap))
                case .failure(let error): exchange.refuse(.asking(error))
                }
            }
        )
    }

    /// The request has waited long enough for a token, or for a person. The question stays open, so that the next request has the answer.
    func endAsking() {
        switch stage {
        case .preparing: refuse(.tokenUnanswered)
        case .asking(let question):
            stage = .underWay
            refuse(.unanswered(isOpen: loop.core.keepOpen(question)))
        case .underWay, .queued, .draining, .waiting, .delivering: return
        }
    }

    /// Whether a password for the server may be asked for: at a listener that stands for it, and only if one would help and the request can be
    /// sent again.
    func mayAsk(_ refusal: Refusal) -> Bool {
        rewriting != nil && accounts.authenticator != nil && refusal.wantedCredential != nil && !body.isGone
    }

    /// Lets the client answer the server, for which there is no account: the request goes out again as the client's own, so that the client gets
    /// the whole challenge.
    private func leaveToClient() {
        if loop.core.refusals.isNews("no account for \(destination.origin)", at: loop.now) {
            loop.core.logger.notice(
                "a server asks for an account, and there is none: the client gets its challenge",
                metadata: ["server": "\(destination.origin)"]
            )
        }
        answerNothing()
        beginAnew(at: pool, by: accounts.current.handler)
        start()
    }

    /// A password for the parent may be asked for.
    func tunnelRefused(_ error: any Error) {
        guard let parent = pool.tunnelParent else { return refuse(.closed(pool.origin)) }
        if case ProxyTunnelError.refused(_, _, let fields, .withheld(let refusal, .proxy)) = error {
            askedParent = parent
            return withheld(refusal, fields, by: .proxy, on: .connect(to: parent))
        }
        refuse(.failed(parent, reason: "\(parent): \(error)"))
    }

    /// The credentials that a request has shown to be right are noted; a store may keep a password now.
    func noteAccepted(by route: RequestRoute? = nil) {
        guard let authenticator = accounts.authenticator,
            authenticator.noteEnd(.accepted, of: outgoing(), by: route ?? self.route, with: handler, canRepeat: false)
        else { return }
        let call = call(authenticator, by: route)
        loop.core.tasks.run { await call.tellAccepted() }
    }

    /// Lets the next request have another token than the one that a server has refused; the response is the client's.
    func renewToken(after refusal: Refusal, _ fields: HTTPFields) {
        guard let authenticator = accounts.authenticator, authenticator.hasTokenSources else { return }
        let call = call(authenticator)
        loop.core.tasks.run { await call.renewToken(after: refusal, fields) }
    }
}
