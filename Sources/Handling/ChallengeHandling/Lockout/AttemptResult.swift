internal import HTTPAuthentication

/// What a request that carried a password, or would have carried it, met.
enum AttemptResult: Sendable {
    /// The party accepted the password.
    case accepted
    /// The party refused the password.
    case refused
    /// A proxy sent a redirect or an error, mostly that of a server behind it. No attempt has to wait, and the password is not proven: the
    /// response may have come before the proxy looked at the password.
    case letIn
    /// The party sent the request elsewhere, which does not tell whether the password is right.
    case redirected
    /// The party answered, and the answer does not tell whether the password is right; or it got a part of a body, and did not refuse it.
    case inconclusive
    /// The party asked with another nonce than that of the answer, or for another scheme: it refused the password, or it had lost the
    /// nonce, or takes the scheme no more. The next answer decides. Until then attempts go one after the other, and a request that waited
    /// before may be the first.
    case unjudged
    /// The password was sent, and no final response came whose status can be read.
    case unanswered
    /// No message that depends on the password was sent.
    case unsent

    /// The result of a final response with `status`, after a message that depends on the password, if it is not a challenge
    /// of the request's party.
    ///
    /// Success and the errors that a server sends only after authentication prove the password. Redirects, requests
    /// that cannot be read, come too early or expect what the party does not know, and failures of the server do not.
    ///
    /// - Parameter isPassedOn: whether the party is a proxy that passes the request on, so that the response may be the
    ///   origin's.
    init(status: Int, from party: ChallengedParty, isPassedOn: Bool) {
        switch status {
        case 101, 200..<300, 403...406, 409...416, 418, 422: self = .accepted
        // The origin's challenge comes through a proxy that has let the request pass.
        case 401 where isPassedOn: self = .accepted
        case _ where party == .proxy: self = .letIn
        case 300..<400: self = .redirected
        default: self = .inconclusive
        }
    }
}
