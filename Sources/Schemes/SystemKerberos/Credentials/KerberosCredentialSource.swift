public import Secrets

/// Where a client's credential comes from.
public enum KerberosCredentialSource: Sendable {
    /// The ticket cache of the user who runs the process: what `kinit` fills. `KRB5CCNAME` names it, else krb5.conf.
    case defaultCache(principal: String? = nil)
    /// A cache such as `FILE:/run/tickets/service` or `KCM:`; the environment is not changed.
    case cache(String, principal: String? = nil)
    /// The keys of an account. The tickets are kept in this process, for this credential only.
    case keytab(String, principal: String)
    /// An account such as `user@REALM` and its password. The tickets are kept in this process, for this credential only.
    ///
    /// The KDC checks the password, and counts a wrong one against the account.
    case password(SharedSecret, principal: String)

    /// The name for messages.
    var subject: String {
        switch self {
        case .defaultCache(let principal): principal ?? "the user's ticket cache"
        case .cache(let name, let principal): principal ?? name
        case .keytab(_, let principal), .password(_, let principal): principal
        }
    }
}
