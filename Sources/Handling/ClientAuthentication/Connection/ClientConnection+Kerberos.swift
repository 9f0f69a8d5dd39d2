internal import HTTPAuthentication
internal import HTTPTypes
internal import NTLM
internal import Negotiate
internal import WireFormat

extension ClientConnection {
    /// Takes a ticket, which the system's library checks.
    ///
    /// - Parameter negotiation: what is around it; `nil` for a ticket without SPNEGO.
    func check(_ ticket: [UInt8], _ negotiation: ServerNegotiation?) -> ClientStep {
        let options = authenticator.options
        guard let verifier = options.kerberos else {
            return .refuse(challenge(.ticket("this server takes no tickets: see its options")))
        }
        let (binding, isDemanded) = bindings.forTickets
        guard binding != nil || !isDemanded else {
            return .refuse(challenge(.ticket("the server has no channel binding that Kerberos can compare")))
        }
        let claim = SystemClaim(message: ticket, channelBinding: binding, demandsBinding: isDemanded)
        return .ask(ClientQuestion(.ticket(TicketQuestion(claim: claim, negotiation: negotiation, verifier: verifier))))
    }

    /// Takes the library's judgement.
    mutating func repliedTicket(
        _ judgement: Result<SystemAcceptance, SystemRefusal>,
        _ question: TicketQuestion
    ) -> ClientStep {
        handshake = .none
        let acceptance: SystemAcceptance
        switch judgement {
        case .failure(let refusal): return .refuse(challenge(.ticket(refusal.description)))
        case .success(let accepted): acceptance = accepted
        }
        guard let name = ClientName(principal: acceptance.client), name.isUsable else {
            return .refuse(challenge(.ticket("the ticket's principal cannot be written as an account")))
        }
        let client = AuthenticatedClientName(
            name: name,
            scheme: .negotiate,
            mechanism: .kerberos,
            isBoundToChannel: acceptance.isBoundToChannel
        )
        guard var negotiation = question.negotiation else { return accept(client, acceptance.message) }
        guard negotiation.awaitsCode else {
            let message = acceptance.message.isEmpty ? nil : acceptance.message
            return complete(&negotiation, message, acceptance.keys, client)
        }
        guard isPinned else { return .refuse(challenge(.negotiation(.integrityCodeMissing))) }
        do throws(NegotiationError) {
            let token = try negotiation.demand(token: acceptance.message) {
                try? acceptance.keys.integrityCode(over: $0)
            }
            handshake = .proving(negotiation, acceptance.keys, client)
            return .refuse(refusal(["Negotiate " + Base64.encode(token.span)], .unanswered))
        } catch {
            return .refuse(challenge(.negotiation(error)))
        }
    }

    /// Takes the client's code over the list, after its ticket was right.
    mutating func receivedCode(_ negotiation: ServerNegotiation, _ before: Handshake) -> ClientStep {
        guard case .proving(_, let keys, let client) = before else {
            return .refuse(challenge(.negotiation(.wrongStep)))
        }
        var negotiation = negotiation
        return complete(&negotiation, nil, keys, client)
    }

    private mutating func complete(
        _ negotiation: inout ServerNegotiation,
        _ message: [UInt8]?,
        _ keys: any SystemKeys,
        _ client: AuthenticatedClientName
    ) -> ClientStep {
        do throws(NegotiationError) {
            let token = try negotiation.completion(
                token: message,
                verify: { (try? keys.verify(integrityCode: [UInt8](copying: $0), over: $1)) != nil },
                make: { try? keys.integrityCode(over: $0) }
            )
            return accept(client, token)
        } catch {
            return .refuse(challenge(.negotiation(error)))
        }
    }

    private mutating func accept(_ client: AuthenticatedClientName, _ token: [UInt8]) -> ClientStep {
        var fields = HTTPFields()
        if !token.isEmpty {
            fields[authenticator.options.party.challengeField] = "Negotiate " + Base64.encode(token.span)
        }
        if isPinned { handshake = .done(client) }
        return .accept(ClientAcceptance(client: client, fields: fields))
    }
}

extension ServerHandshake.BindingPolicy {
    /// The binding that the library compares, the first one, and whether clients must send it.
    fileprivate var forTickets: (binding: [UInt8]?, isDemanded: Bool) {
        switch self {
        case .off: (nil, false)
        case .accepted(let bindings): (bindings.lazy.compactMap(\.applicationData).first, false)
        case .required(let bindings): (bindings.lazy.compactMap(\.applicationData).first, true)
        }
    }
}

extension ClientName {
    /// Reads a principal of Kerberos such as `jdoe@ACME.EXAMPLE`, whose realm becomes the domain; `nil` for one with escaped characters.
    init?(principal: String) {
        guard let place = principal.lastIndex(of: "@"), !principal.contains("\\") else { return nil }
        self.init(user: String(principal[..<place]), domain: String(principal[principal.index(after: place)...]))
        guard !user.isEmpty, !domain.isEmpty else { return nil }
    }
}
