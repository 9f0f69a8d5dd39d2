package import Credentials
package import HTTPAuthentication
package import NTLM

/// An account in the form that schemes need. A class, so that a decision copies one reference.
package final class SchemeAccount: Sendable {
    package let account: Account
    /// The account for NTLM, whose hash is computed once; `nil` for a credential without an NT hash.
    package let ntlm: NTLMAccount?
    /// What the account accepts from parties that ask for Digest.
    package let digest: DigestRules
    /// How the account answers Negotiate.
    package let negotiate: NegotiateRules

    init(account: Account, ntlm: NTLMAccount?, digest: DigestRules, negotiate: NegotiateRules) {
        self.negotiate = negotiate
        self.account = account
        self.ntlm = ntlm
        self.digest = digest
    }

    /// The user name and password as Basic and Digest send them.
    ///
    /// - Precondition: the credential is a password.
    package var passwordCredential: PasswordCredential {
        guard let password = account.credential.password else {
            preconditionFailure("only schemes whose canUse asks for a password read it")
        }
        return PasswordCredential(user: account.qualifiedUser, password: password)
    }
}
