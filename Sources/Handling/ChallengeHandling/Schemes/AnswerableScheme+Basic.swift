internal import Credentials
internal import HTTPAuthentication

extension AnswerableScheme {
    /// RFC 7617: the password in base64.
    static let basic = AnswerableScheme(
        name: .basic,
        isConnectionBound: false,
        showsSecret: true,
        strength: 0,
        canUse: { $0.password != nil },
        exchange: { .basic($0.account.passwordCredential, party: $0.request.party) }
    )
}
