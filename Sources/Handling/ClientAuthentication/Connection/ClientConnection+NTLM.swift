internal import HTTPAuthentication
internal import HTTPTypes
internal import NTLM
internal import Negotiate
internal import Secrets
internal import WireFormat

extension ClientConnection {
    /// Reads a message of NTLM under its own name.
    mutating func receivedNTLM(_ answer: Challenge) -> ClientStep {
        let before = handshake
        handshake = .none
        guard isOffered(.ntlm), let message = Self.bytes(answer) else { return .refuse(challenge(.unreadable)) }
        return receivedMessage(message, .none(.ntlm), before)
    }

    /// Reads a token of Negotiate: SPNEGO, or a message of NTLM without that frame.
    mutating func receivedNegotiate(_ answer: Challenge) -> ClientStep {
        let before = handshake
        handshake = .none
        guard isOffered(.negotiate), let bytes = Self.bytes(answer) else { return .refuse(challenge(.unreadable)) }
        do throws(NegotiationError) {
            let kind = try TokenKind(of: bytes.span)
            let mechanisms = authenticator.mechanisms(isPinned: isPinned)
            if kind == .ntlm, mechanisms.contains(.ntlm) { return receivedMessage(bytes, .none(.negotiate), before) }
            if kind == .kerberos { return check(bytes, nil) }
            var negotiation = before.negotiation(after: kind) ?? ServerNegotiation(mechanisms)
            switch try negotiation.received(bytes.span) {
            case .respond(let token):
                guard isPinned else { throw .integrityCodeMissing }
                handshake = .chosen(negotiation)
                return .refuse(refusal(["Negotiate " + Base64.encode(token.span)], .unanswered))
            case .token(.ntlm, let place):
                return receivedMessage(Array(bytes[place]), .negotiation(negotiation), before)
            case .token(_, let place): return check(Array(bytes[place]), negotiation)
            case .code: return receivedCode(negotiation, before)
            }
        } catch {
            return .refuse(challenge(.negotiation(error)))
        }
    }

    private static func bytes(_ answer: Challenge) -> [UInt8]? {
        answer.token68.flatMap { try? Base64.decode($0) }
    }

    /// Decides about a message of NTLM.
    private mutating func receivedMessage(_ message: [UInt8], _ frame: NTLMFrame, _ before: Handshake) -> ClientStep {
        do throws(ServerHandshakeError) {
            if !ServerHandshake.isAuthenticate(message.span) {
                var options = authenticator.options.ntlm
                options.channelBindings = bindings
                var fresh = ServerHandshake(options: options)
                let reply = try fresh.challenge(to: message.span, now: authenticator.clock())
                var frame = frame
                let value = frame.challenge(reply)
                handshake = .challenged(fresh, frame)
                return .refuse(refusal([value], .unanswered))
            }
            // All messages of a handshake have one frame: another one would lose the code over the list of mechanisms.
            guard case .challenged(let running, let first) = before, first.isSame(as: frame) else { throw .wrongStep }
            // Before the directory is asked, so that it is asked about nothing that is refused anyway.
            let proof = try running.proof(in: message.span, now: authenticator.clock())
            handshake = .challenged(running, frame)
            return ask(ClientName(user: proof.user, domain: proof.domain), .ntlm(proof, authenticate: message))
        } catch {
            return .refuse(challenge(.ntlm(error)))
        }
    }

    /// Takes the directory's reply to an AUTHENTICATE.
    mutating func repliedNTLM(
        _ judgement: ProofJudgement,
        _ question: AccountQuestion,
        _ message: [UInt8]
    ) -> ClientStep {
        guard case .challenged(var running, let frame) = handshake else {
            return .refuse(challenge(.ntlm(.wrongStep)))
        }
        handshake = .none
        let client: VerifiedClient
        do throws(ServerHandshakeError) {
            client = try running.verify(authenticate: message.span, now: authenticator.clock(), judged: judgement)
        } catch .rejected {
            return end(question, false, frame.scheme)
        } catch {
            question.attempt.end(isRight: nil)
            return .refuse(challenge(.ntlm(error)))
        }
        settle(question, isRight: true)
        var fields = HTTPFields()
        do throws(NegotiationError) {
            if let value = try frame.completion(running.firstSignatures()) {
                fields[authenticator.options.party.challengeField] = value
            }
        } catch {
            return .refuse(challenge(.negotiation(error)))
        }
        let accepted = AuthenticatedClientName(
            name: question.name,
            scheme: frame.scheme,
            mechanism: .ntlm,
            isBoundToChannel: client.isBoundToChannel
        )
        handshake = .done(accepted)
        return .accept(ClientAcceptance(client: accepted, fields: fields))
    }
}

extension ClientConnection.Handshake {
    /// The negotiation that a token of this kind belongs to; `nil` for a new one.
    fileprivate func negotiation(after kind: TokenKind) -> ServerNegotiation? {
        guard kind == .response else { return nil }
        switch self {
        case .chosen(let running), .challenged(_, .negotiation(let running)), .proving(let running, _, _):
            return running
        case .none, .challenged, .done: return nil
        }
    }
}

extension NTLMFrame {
    /// Whether both frame messages alike.
    fileprivate func isSame(as other: NTLMFrame) -> Bool {
        switch (self, other) {
        case (.none(let scheme), .none(let otherScheme)): scheme == otherScheme
        case (.negotiation, .negotiation): true
        case (.none, .negotiation), (.negotiation, .none): false
        }
    }
}
