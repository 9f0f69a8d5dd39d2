public import HTTPAuthentication
internal import Negotiate

/// Why a party and one of the account's schemes did not come together.
public struct SchemeFailure: Equatable, Sendable {
    /// The scheme.
    public let scheme: AuthenticationScheme
    /// The reason.
    public let reason: Refusal
}

extension Refusal {
    /// What is left to say after a party has declined schemes, and `last` ended the request.
    ///
    /// A refusal of the secret itself stands alone: it is what has to be mended, and programs ask for another password then.
    static func schemesFailed(account: String, _ declined: [SchemeFailure], last: Refusal) -> Refusal {
        var failures = declined
        switch last {
        case .schemesFailed: return last
        case .noSupportedScheme: break
        case .cleartext(_, let scheme), .connectionShared(let scheme), .proxyWithoutSessions(let scheme):
            failures.append(SchemeFailure(scheme: scheme, reason: last))
        default: return last
        }
        return failures.count == 1 ? failures[0].reason : .schemesFailed(account: account, failures)
    }
}

extension ExchangeFailure {
    /// Whether the party does not want the scheme, or we cannot begin it, so that another of the account's schemes may be tried.
    var isDecline: Bool {
        switch self {
        case .handshakeLost, .notOffered, .negotiation(.rejected), .needNotMet, .needFailed: true
        default: false
        }
    }
}
