internal import HTTPAuthentication
internal import HTTPTypes

// The events of a request, for an observer.

extension RequestAuthentication {
    /// The step, after its events; a branch without an observer.
    @inline(__always)
    mutating func reported(_ step: RequestStep) -> RequestStep {
        if let trace {
            if let reason = takeObstacle() { trace.emit(.unmet(reason: reason)) }
            report(step, to: trace)
        }
        return step
    }

    private mutating func takeObstacle() -> String? {
        if let reason = origin.takeObstacle() { return reason }
        return proxy?.takeObstacle()
    }

    @inline(never)
    func reportResponse(
        _ status: Int,
        _ fields: HTTPFields,
        _ connection: ConnectionTraits,
        to trace: RequestTrace
    ) {
        var challenger: ChallengedParty?
        if status == ChallengedParty.proxy.status { challenger = .proxy }
        if status == ChallengedParty.origin.status { challenger = .origin }
        trace.received(
            status: status,
            fields: fields,
            on: connection,
            bodyWasSent: hasSentBody,
            challenger: challenger,
            isContinued: challenger == .proxy ? isProxyRunning : origin.isRunning
        )
    }

    @inline(never)
    private func report(_ step: RequestStep, to trace: RequestTrace) {
        switch step {
        case .wait: trace.emit(.waiting)
        case .needs: trace.emit(.needed)
        case .deliver(let outcome):
            if case .withheld = outcome { explain(to: trace) }
            switch outcome {
            case .notChallenged: trace.end(.notChallenged)
            case .accepted: trace.end(.accepted)
            case .withheld(let refusal, by: let party): trace.end(.withheld(refusal, by: party))
            }
        case .send(let sending):
            explain(to: trace)
            if sending.proxyAuthorization != nil, let sent = proxySent { trace.answered(.proxy, sent) }
            if sending.authorization != nil, let sent = origin.sent { trace.answered(.origin, sent) }
            if sends == 1, let placed { trace.emit(.tokenPlaced(account: placed.account, placed.placement.position)) }
            if sends > 1, !sending.hasAnswer { trace.emit(.restarted) }
        }
    }

    /// Reports how the last offers were judged, once.
    private func explain(to trace: RequestTrace) {
        guard let response = trace.unexplained else { return }
        switch response.party {
        // The sender answers this origin itself, so the handler has judged no offers.
        case .origin where isProxyOnly: break
        case .origin: trace.selected(origin.selection(after: response))
        case .proxy:
            switch proxy {
            case .some(let proxy): trace.selected(proxy.selection(after: response))
            case nil: break
            }
        }
    }

    private var proxySent: SentAnswer? {
        switch proxy {
        case .some(let proxy): return proxy.sent
        case nil: return nil
        }
    }

    private var isProxyRunning: Bool {
        switch proxy {
        case .some(let proxy): return proxy.isRunning
        case nil: return false
        }
    }
}

extension RequestStart {
    init(
        _ outgoing: OutgoingRequest,
        _ route: RequestRoute,
        isProxyOnly: Bool,
        _ handler: ChallengeHandler
    ) {
        self.init(
            method: outgoing.method,
            origin: outgoing.origin,
            path: outgoing.path,
            hasQuery: outgoing.target.utf8.contains(UInt8(ascii: "?")),
            isBodyOnce: outgoing.body.isOnce,
            route: route,
            isProxyOnly: isProxyOnly,
            profile: handler.compiled.number
        )
    }
}
