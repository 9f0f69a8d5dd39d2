internal import HTTP1
internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import RequestFlow
internal import Sallyport

/// Takes responses: the flow gets the challenges, and the client gets the rest.
extension RelayedRequest {
    var isWritable: Bool { client.isWritable }

    var needsPlainBody: Bool { head.isHTTP10 }

    func receivedBody(_ part: ByteBuffer) { client.write(part) }

    func flush() { client.flush() }

    func resumeReads() { client.resumeReads() }

    func receivedInterim(_ head: ResponseHead, _ bytes: ByteBuffer) {
        if head.status == 100 {
            passContinue()
            if !body.isOpen, !leftBodyOut { openGate() }
        } else if !self.head.isHTTP10, client.listener.speaksHTTP {
            client.write(ResponseWriter.head(head, bytes, isToHTTP10: false, closes: false, loop))
            client.flush()
        }
        hurry()
    }

    func received(_ head: ResponseHead, _ bytes: ByteBuffer, on upstream: UpstreamConnection) {
        guard self.upstream === upstream else { return upstream.close() }
        stopContinueTimer()
        let isOfServer = answersServer && head.status == ServerStatus.challenge
        if isOfServer || head.status == ParentStatus.challenge && !pool.isDirect {
            return challenged(head, bytes, on: upstream)
        }
        let isPassedOn = self.head.method != .connect
        let carriesToken = answering.carriesToken
        switch answering.outcome(of: head.status, fields: head.decisiveFields(of: bytes), isPassedOn: isPassedOn) {
        case nil: return passed(head, bytes, runningFlow(), upstream)
        // The pool and the store have noted a password when a flow got it. Of a token each acceptance counts.
        case .accepted?: if carriesToken { noteAccepted() }
        case .notChallenged?, .withheld?:
            guard !upstream.isBound else { break }
            pool.noteOpen(to: destination)
            pool.handshake = nil
        }
        deliver(head, bytes, on: upstream)
    }

    /// Tells the flow that the party has let the request pass.
    private func passed(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        _ flow: RunningFlow,
        _ upstream: UpstreamConnection
    ) {
        let wasBinding = flow.isBindingConnection
        let response = response(head, bytes, on: upstream, isBound: false)
        let command = flow.report { $0.received(response) }
        // The parent lets the request pass before the last message of a handshake, so it has seen no password.
        let isUnasked = leftBodyOut && !answersServer
        switch command {
        case .deliver(let outcome):
            if isUnasked, outcome == .accepted {
                noteUnasked(upstream)
            } else {
                note(outcome, wasBinding, upstream)
            }
            deliver(head, bytes, on: upstream)
        case .drop, .wait:
            // The request begins anew: the party has not seen its body.
            if isUnasked { noteUnasked(upstream) }
            if case .wait(let turn) = command {
                after(.wait(turn), on: upstream, mayContinue: response.keepsConnection)
            } else {
                after(.flow, on: upstream, mayContinue: true)
            }
        case .send, .fail:
            dropUpstream()
            follow(command)
        }
    }

    private func noteUnasked(_ upstream: UpstreamConnection) {
        pool.handshake = nil
        if !upstream.isBound { pool.noteOpen(to: destination) }
    }

    /// Records what the response says of the party, for the requests that follow.
    private func note(_ outcome: RequestOutcome, _ wasBinding: Bool, _ upstream: UpstreamConnection) {
        switch outcome {
        case .accepted:
            if wasBinding { upstream.isBound = true }
            if !answersServer {
                pool.answersInAdvance = !wasBinding
                // A ticket needs no handshake, and would be fetched in vain.
                pool.handshake = wasBinding && sending?.connection == .same ? challenged.offers : nil
                pool.noteChallenge()
            }
            noteAccepted()
        case .notChallenged:
            if !upstream.isBound {
                pool.noteOpen(to: destination)
            } else if head.hasBody {
                pool.passesBodies = true
            }
        case .withheld: break
        }
    }

    // MARK: Challenges

    private func challenged(_ head: ResponseHead, _ bytes: ByteBuffer, on upstream: UpstreamConnection) {
        let isOfServer = head.status == ServerStatus.challenge
        if !isOfServer { pool.noteChallenge() }
        let wasBound = upstream.isBound
        if wasBound { pool.passesBodies = false }
        upstream.isBound = false
        let response = response(head, bytes, on: upstream, isBound: wasBound)
        if !hasSeenChallenge {
            // Whether that connection was closed does not show whether another one would be.
            var offers = HTTPFields()
            offers[fields: .proxyAuthenticate] = response.fields[fields: .proxyAuthenticate]
            challenged = .once(offers: offers)
        }
        if wasBound, let offers = challenged.offers { challenged = .whenBound(offers: offers) }
        let flow = runningFlow()
        let command = flow.report { $0.received(response) }
        let fields = flow.challenge?.fields ?? response.fields
        let party: ChallengedParty = isOfServer ? .origin : .proxy
        // The flow says in its fields what else speaks against it, such as a long body that the party has refused unread.
        let mayContinue = response.keepsConnection && !party.closesConnection(fields)
        switch command {
        case .fail(.needNotMet) where isOfServer:
            // The client may know an answer.
            upstream.isBound = wasBound
            deliver(head, bytes, on: upstream)
        case .send, .fail:
            body.gate = .held
            dropUpstream()
            follow(command)
        case .drop: after(.flow, on: upstream, mayContinue: true)
        case .wait(let turn): after(.wait(turn), on: upstream, mayContinue: mayContinue)
        case .deliver(.withheld(let refusal, .origin)) where isOfServer && mayAsk(refusal):
            after(.ask(refusal, fields, .origin), on: upstream, mayContinue: mayContinue)
        case .deliver(.withheld(.resultUnknown(let account, let time), .origin)) where isOfServer && rewriting != nil:
            // The password is right for all that is known, so the client of the listener is not asked for one.
            refuse(.withheldFromServer(.resultUnknown(account: account, time)))
        case .deliver(let outcome) where isOfServer:
            // The client may know an answer; the connection is as it was.
            if case .withheld(let refusal, _) = outcome {
                if case .credentialsRefused(let account, _) = refusal {
                    loop.noteBadLogOn(account, by: "\(destination.origin)")
                }
                renewToken(after: refusal, fields)
            }
            upstream.isBound = wasBound
            deliver(head, bytes, on: upstream)
        case .deliver(.withheld(.bodySpent, _)): refuse(.bodySpent)
        case .deliver(.withheld(let refusal, _)):
            after(.ask(refusal, fields, .proxy), on: upstream, mayContinue: mayContinue)
        case .deliver: refuse(.withheld(.malformedChallenge(nil)))
        }
    }

    /// Reads the refused response to its end, or drops its connection, and goes on then.
    private func after(_ step: RelayedRequestStage.AfterDrain, on upstream: UpstreamConnection, mayContinue: Bool) {
        body.gate = .held
        stage = .draining(step)
        if mayContinue { upstream.drain() } else { goOn(.unusable) }
    }

    func refusedResponseEnded(_ upstream: UpstreamConnection) {
        guard self.upstream === upstream else { return upstream.close() }
        guard upstream.mayBeReused else { return goOn(.unusable) }
        // The request itself has used the connection, so a later loss is not the loss of an idle connection.
        isReused = false
        goOn(.reusable)
    }

    /// The refused response was dropped.
    func goOn(_ end: DropEnd) {
        if end != .reusable { dropUpstream() }
        guard case .draining(let step) = stage else { return refuse(.closed(pool.origin)) }
        stage = .underWay
        switch step {
        case .flow: follow(runningFlow().report { $0.dropped(end) })
        case .wait(let turn): wait(for: turn)
        case .ask(let refusal, let fields, let party): withheld(refusal, fields, by: party)
        }
    }

    // MARK: The client's response

    private func deliver(_ head: ResponseHead, _ bytes: ByteBuffer, on upstream: UpstreamConnection) {
        noteLatency()
        noteWithheldIdentity(head.status, upstream)
        if self.head.method == .connect {
            if (200..<300).contains(head.status) {
                client.writeEstablished()
                return client.openTunnel(upstream)
            }
            guard client.listener.speaksHTTP else { return refuse(.noTunnel(pool.origin, status: head.status)) }
        }
        if head.status == 101 {
            guard self.head.wantsWebSocket else { return refuse(.switchedUnasked(pool.origin)) }
            client.write(ResponseWriter.head(head, bytes, isToHTTP10: self.head.isHTTP10, closes: false, loop))
            return client.openTunnel(upstream)
        }
        if leavesBodyUnread(head.status), !upstream.isOfClient { upstream.reuse = .notAllowed }
        body.forget()
        let closes = closesClient(head)
        stage = .delivering(closesClient: closes)
        client.writeHead(
            ResponseWriter.head(
                head,
                bytes,
                isToHTTP10: self.head.isHTTP10,
                closes: closes,
                rewriting: rewriting,
                proof: client.logOn?.proof,
                keepsSessions: keepsSessions(head),
                loop
            )
        )
    }

    /// Logs why the server got no client certificate, for a status that may come of it: nginx sends 400 for its own 496, and rules of Apache and
    /// of applications send 403.
    private func noteWithheldIdentity(_ status: Int, _ upstream: UpstreamConnection) {
        switch status {
        case 400, 495, 496: break
        // Otherwise the account may lack the permission.
        case 403 where sending?.hasAnswer != true && !placesToken && !upstream.isBound && !head.fields.hasAuthorization:
            break
        default: return
        }
        // A response of a parent may be that of a server behind it.
        guard pool.end == .securedServer, case .withhold(let refusal)? = upstream.presentedIdentity() else { return }
        let reason = RelayRefusal.remedy(ofWithheld: refusal)
        loop.core.logger.log(
            level: loop.core.refusals.isNews("no certificate for \(destination.origin): \(reason)", at: loop.now)
                ? .warning : .debug,
            "the server asked for a client certificate, and none was sent",
            metadata: ["server": "\(destination.origin)", "status": "\(status)", "reason": "\(reason)"]
        )
    }

    /// Whether to say that NTLM and Negotiate with the server are safe through the relay (RFC 4559 section 6). Where another proxy follows,
    /// that one says it.
    private func keepsSessions(_ head: ResponseHead) -> Bool {
        head.status == ServerStatus.challenge && pool.isDirect && rewriting == nil && !head.fields.hasProxySupport
    }

    /// Whether the client's connection ends with this response.
    private func closesClient(_ head: ResponseHead) -> Bool {
        self.head.closes || head.framing == .untilClose || self.head.method == .connect || loop.isEnding
            // A body that was held may still come, or never come.
            || !body.isOpen && !body.isAtEnd
    }

    func noteLatency() {
        let time = (NIODeadline.now() - begin).nanoseconds
        loop.latencies.record(microseconds: UInt64(max(0, time)) / 1_000)
    }

    func responseEnded(_ upstream: UpstreamConnection) {
        guard isCurrent, self.upstream === upstream else { return upstream.close() }
        let closes = if case .delivering(closesClient: true) = stage { true } else { false }
        self.upstream = nil
        cancel()
        client.exchange = nil
        loop.heads.giveBack(text.memory)
        if owesBody || !upstream.mayBeReused {
            upstream.close()
        } else if upstream.isOfClient {
            client.keepOwn(upstream)
        } else {
            pool.release(upstream)
        }
        client.exchangeEnded(isWhole: body.isAtEnd, closes: closes)
    }

    /// Answers the client with a response of the relay itself.
    func refuse(_ refusal: RelayRefusal) { client.refuse(refusal) }
}
