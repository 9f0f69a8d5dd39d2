internal import Credentials
internal import HTTPAuthentication
internal import Negotiate

extension AnswerableScheme {
    /// RFC 4559: SPNEGO with a ticket of Kerberos, or with NTLM for an account of a domain. An account without a domain answers with
    /// NTLM's messages without the frame, as servers on their own take them.
    static let negotiate = AnswerableScheme(
        name: .negotiate,
        isConnectionBound: true,
        showsSecret: false,
        strength: 2,
        bindsChannel: true,
        canUse: { $0.isTicket || AnswerableScheme.ntlm.canUse($0) },
        exchange: { $0.negotiate() }
    )
}

extension SchemeInput {
    fileprivate func negotiate() -> AuthenticationExchange {
        var rules = account.negotiate
        if account.account.credential.isTicket { rules.usesKerberos = true }
        guard rules.usesKerberos || account.account.isOfDirectory else { return ntlm(as: .negotiate) }
        return .negotiate(
            ntlm: rules.usesKerberos && !rules.allowsNTLM ? nil : account.ntlm,
            rules: rules,
            principal: principal,
            tickets: tickets(rules),
            party: request.party,
            request: exchangeRequest,
            binding: binding
        )
    }

    /// With a ticket cache, the principal picks one of its tickets. A KDC must be told which account it is asked for.
    private var principal: String? {
        account.negotiate.tickets == .cache ? account.account.principal : account.account.principalForKDC
    }

    private func tickets(_ rules: NegotiateRules) -> TicketSource {
        switch rules.tickets {
        case .cache: .cache
        case .keytab(let path): .keytab(path)
        case .password: account.account.credential.password.map(TicketSource.password) ?? .cache
        }
    }
}
