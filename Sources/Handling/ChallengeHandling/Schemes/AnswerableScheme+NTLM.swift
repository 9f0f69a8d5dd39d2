internal import Credentials
internal import HTTPAuthentication

extension AnswerableScheme {
    /// MS-NTHT with NTLMv2: bound to the connection, and to TLS where there is a certificate.
    static let ntlm = AnswerableScheme(
        name: .ntlm,
        isConnectionBound: true,
        showsSecret: false,
        strength: 2,
        bindsChannel: true,
        canUse: { credential in
            switch credential {
            case .password, .ntHash: true
            case .token, .ticket, .identity: false
            }
        },
        exchange: { $0.ntlm(as: .ntlm) }
    )
}

extension SchemeInput {
    /// An exchange of NTLM messages under the name of `scheme`.
    func ntlm(as scheme: AuthenticationScheme) -> AuthenticationExchange {
        guard let ntlm = account.ntlm else {
            preconditionFailure("canUse lets only credentials with an NT hash through")
        }
        return .ntlm(ntlm, party: request.party, request: exchangeRequest, binding: binding, as: scheme)
    }
}
