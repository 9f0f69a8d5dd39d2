internal import Credentials
internal import HTTPAuthentication

extension AnswerableScheme {
    /// RFC 7616: a hash of the password, guessable offline with the speed of one hash.
    static let digest = AnswerableScheme(
        name: .digest,
        isConnectionBound: false,
        showsSecret: false,
        strength: 1,
        isStrong: { $0.digestStrength == .sha2 },
        canUse: { $0.password != nil },
        exchange: {
            .digest(
                $0.account.passwordCredential,
                party: $0.request.party,
                request: $0.exchangeRequest,
                rules: $0.account.digest
            )
        }
    )
}
