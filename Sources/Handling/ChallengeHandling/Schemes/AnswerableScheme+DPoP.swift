internal import Credentials
internal import HTTPAuthentication

extension AnswerableScheme {
    /// RFC 9449: a token that is bound to a key.
    ///
    /// It is not in ``standard``, because the token of an account decides whether it answers so, and not the account's list of schemes.
    static let dpop = AnswerableScheme(
        name: .dpop,
        isConnectionBound: false,
        showsSecret: true,
        strength: 0,
        canUse: { $0.token != nil },
        exchange: { .boundToken(BoundTokenExchange(token: $0.account.token), party: $0.request.party) }
    )
}
