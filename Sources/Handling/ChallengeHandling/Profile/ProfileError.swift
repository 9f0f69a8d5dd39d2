internal import Credentials
public import HTTPAuthentication
public import NTLM
public import SPKIPins

/// Why a profile cannot be used.
public enum ProfileError: Error, Equatable, Sendable {
    /// Two accounts, or two identities, have the same name.
    case duplicateName(String)
    /// An account or identity has no sites, so it would never be used.
    case assignmentWithoutSites(name: String)
    /// A site rule of an account or identity cannot be compiled.
    case invalidAssignmentRule(name: String, rule: String, reason: String)
    /// A rule of an account or identity is an exception, and an exception cannot assign a site.
    case exceptionAssigned(name: String, rule: String)
    /// All accounts, or all identities, together have more rules than a site list allows.
    case tooManyRules
    /// Two accounts have the same rule, or one identity has it twice.
    case ruleAssignedTwice(rule: String, first: String, second: String)
    /// The profile lists a scheme that is not supported.
    case schemeNotAnswerable(AuthenticationScheme)
    /// The profile lists a scheme twice.
    case duplicateScheme(AuthenticationScheme)
    /// The NT hash of an account's password cannot be computed.
    case invalidPassword(account: String, NTLMKeyError)
    /// An account's user name or domain is not valid.
    case invalidAccount(account: String, AccountError)
    /// The user name has a domain before a backslash, and the account has another domain.
    case domainTwice(account: String, user: String)
    /// The user name, here with its domain, has more than one backslash.
    case backslashes(account: String, user: String)
    /// No scheme that the account may use can answer with its credential.
    case noSchemeForCredential(account: String, kind: String)
    /// The token of an account cannot go where its placement says.
    case invalidPlacement(account: String, TokenPlacement.Defect)
    /// A client certificate cannot be read.
    case invalidCertificate(identity: String, CertificateError)
    /// The pins cannot be compiled.
    case pins(PinPolicyError)
    /// The profile has no account of this name.
    case unknownAccount(String)
}

extension ProfileError: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .duplicateName(let name): "the name '\(name)' occurs twice: use each name once"
        case .assignmentWithoutSites(let name): "'\(name)' has no sites: add at least one rule, or remove it"
        case .invalidAssignmentRule(let name, let rule, let reason): "'\(name)', site rule '\(rule)': \(reason)"
        case .exceptionAssigned(let name, let rule):
            "'\(name)', site rule '\(rule)': an exception cannot assign a site; move it to the profile's sites"
        case .tooManyRules: "the accounts or identities have more site rules than a list allows: remove some"
        case .ruleAssignedTwice(let rule, let first, let second):
            "the site rule '\(rule)' belongs to '\(first)' and '\(second)': make one of them narrower"
        case .schemeNotAnswerable(let scheme):
            "the scheme '\(scheme)' is not supported: choose from \(Self.answerable)"
        case .duplicateScheme(let scheme): "the scheme '\(scheme)' occurs twice: remove one"
        case .invalidPassword(let account, let error): "the password of '\(account)': \(error)"
        case .invalidAccount(let account, let error): "'\(account)': \(error)"
        case .backslashes(let account, let user):
            "the user of '\(account)': \(LoginDefect(user).map { "\($0)" } ?? user)"
        case .domainTwice(let account, let user):
            "the user of '\(account)' names the domain '\(user)', and the account has another: write one of them"
        case .noSchemeForCredential(let account, let kind):
            "'\(account)' has a \(kind), which none of its schemes can answer with: add a scheme, or give another secret"
        case .invalidPlacement(let account, let defect): "the token of '\(account)': \(defect)"
        case .invalidCertificate(let identity, let error): "the certificate of '\(identity)': \(error)"
        case .pins(let error): "pins: \(error)"
        case .unknownAccount(let name): "the profile has no account '\(name)': check the name"
        }
    }

    private static var answerable: String {
        AnswerableScheme.standard.map(\.name.name).sorted().joined(separator: ", ")
    }
}
