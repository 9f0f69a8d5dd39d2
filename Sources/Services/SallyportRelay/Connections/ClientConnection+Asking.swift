internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import Logging
internal import NIOCore
internal import RequestFlow
internal import Sallyport
internal import SallyportNIO

/// Passwords and tokens that a person or a store is asked for.
extension ClientConnection {
    /// Waits for the token of a request, and starts it then. A request for which no token comes does not go out.
    func prepare(_ exchange: Exchange, _ authenticator: Authenticator) {
        deadline = loop.now + loop.limits.asking
        let (request, route, eventLoop) = (exchange.outgoing(), exchange.route, loop.eventLoop)
        let bound = NIOLoopBound((self, exchange), eventLoop: eventLoop)
        let fetch = loop.core.ask {
            let result: Result<Void, any Error>
            do { result = .success(try await authenticator.prepare(request, by: route)) } catch {
                result = .failure(error)
            }
            eventLoop.execute {
                let (client, exchange) = bound.value
                client.prepared(result, exchange)
            }
        }
        exchange.stage = .preparing(fetch)
    }

    private func prepared(_ result: Result<Void, any Error>, _ exchange: Exchange) {
        guard self.exchange === exchange else { return }
        deadline = .distantFuture
        exchange.stage = .underWay
        if case .failure(let error) = result { return refuse(.token("\(error)")) }
        exchange.beginAnew(at: exchange.pool, by: accounts.current.handler)
        answerServer(exchange)
        start(exchange)
    }

    /// The party gets no answer: somebody may know a password, otherwise the client learns why.
    ///
    /// - Parameter route: how the request reaches the party; `nil` for the route of the exchange.
    func withheld(
        _ refusal: Refusal,
        _ fields: HTTPFields?,
        _ exchange: Exchange,
        by party: ChallengedParty = .proxy,
        on route: RequestRoute? = nil
    ) {
        let place = party == .origin ? exchange.destination.origin : exchange.pool.proxy ?? exchange.pool.origin
        if case .credentialsRefused(let account, _) = refusal { noteBadLogOn(account, at: place) }
        let challenge = fields ?? exchange.flow?.challenge?.fields
        guard let authenticator = accounts.authenticator, let challenge,
            !exchange.isBodyGone
        else { return refuse(.withheld(refusal, by: party, gap: nil)) }
        guard mayWaitLong(exchange) else { return refuse(.clientLeft) }
        giveBackUpstream(exchange)
        deadline = loop.now + loop.limits.asking
        let request = exchange.outgoing()
        let (route, handler) = (route ?? exchange.route, exchange.handler)
        let repetitions = exchange.repetitions
        let gap = authenticator.offerGap(by: party, of: request, by: route, fields: challenge)
        let bound = NIOLoopBound((self, exchange), eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        let question = loop.core.ask {
            let advice: Result<AuthenticatorAdvice, any Error>
            do {
                let found = try await authenticator.advice(
                    after: .withheld(refusal, by: party),
                    of: request,
                    by: route,
                    fields: challenge,
                    with: handler,
                    repetitions: repetitions
                )
                advice = .success(found)
            } catch {
                advice = .failure(error)
            }
            eventLoop.execute {
                let (client, exchange) = bound.value
                client.advised(advice, after: .withheld(refusal, by: party, gap: gap), exchange)
            }
        }
        exchange.stage = .asking(question)
    }

    private func advised(
        _ advice: Result<AuthenticatorAdvice, any Error>,
        after refusal: RelayRefusal,
        _ exchange: Exchange
    ) {
        guard self.exchange === exchange else { return }
        deadline = .distantFuture
        exchange.stage = .underWay
        switch advice {
        case .success(.repeatRequest):
            exchange.repetitions += 1
            exchange.beginAnew(at: exchange.pool, by: accounts.current.handler)
            follow(makeFlow(exchange).report { $0.begin() }, exchange)
        case .success(.deliver): refuse(refusal)
        case .failure(let error): refuse(.asking(error))
        }
    }

    /// A request has waited long enough for a token, or for a person. The question stays open, so that the next request has the answer.
    func endAsking() {
        switch exchange?.stage {
        case .preparing: refuse(.tokenUnanswered)
        case .asking(let question):
            exchange?.stage = .underWay
            refuse(.unanswered(isOpen: loop.core.keepOpen(question)))
        case .underWay, .queued, .draining, .waiting, .delivering, nil: return
        }
    }

    /// Whether a password for the server may be asked for: at a listener that stands for it, and only if one would help.
    func mayAsk(_ exchange: Exchange, _ refusal: Refusal) -> Bool {
        exchange.rewriting != nil && accounts.authenticator != nil && refusal.wantedCredential != nil
    }

    /// The tunnel to the server could not be opened. A password for the parent may be asked for.
    func tunnelRefused(_ error: any Error, _ exchange: Exchange) {
        guard let parent = exchange.pool.tunnelParent else { return refuse(.closed(exchange.pool.origin)) }
        if case ProxyTunnelError.refused(_, _, let fields, .withheld(let refusal, .proxy)) = error {
            exchange.askedParent = parent
            return withheld(refusal, fields, exchange, by: .proxy, on: .connect(to: parent))
        }
        refuse(.failed(parent, reason: "\(parent): \(error)"))
    }

    func noteBadLogOn(_ account: String, at origin: Origin) {
        loop.counters.badLogOns += 1
        loop.core.logger.warning("a password was refused", metadata: ["by": "\(origin)", "account": "\(account)"])
    }
}
