internal import Credentials
internal import HTTPAuthentication
internal import Secrets

extension AnswerableScheme {
    /// RFC 6750: the account's token, as it is.
    static let bearer = AnswerableScheme(
        name: .bearer,
        isConnectionBound: false,
        showsSecret: true,
        strength: 0,
        canUse: { $0.token != nil },
        exchange: { .bearer(BearerExchange(token: $0.account.token), party: $0.request.party) }
    )
}

extension SchemeAccount {
    /// The token.
    ///
    /// - Precondition: the credential is a token.
    var token: SharedSecret {
        guard let token = account.credential.token else {
            preconditionFailure("only schemes whose canUse asks for a token read it")
        }
        return token
    }
}
