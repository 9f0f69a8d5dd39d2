public import HTTPAuthentication
public import NTLM
public import SPKIPins

/// Why a profile cannot be put into force.
public enum ProfileError: Error, Equatable, Sendable {
    /// Two accounts, or two identities, have the same name.
    case duplicateName(String)
    /// An account or identity has no site, so it would never be used.
    case assignmentWithoutSites(name: String)
    /// A site rule of an account or identity cannot be compiled.
    case invalidAssignmentRule(name: String, rule: String, reason: String)
    /// A rule of an account or identity is an exception, which assigns nothing.
    case exceptionAssigned(name: String, rule: String)
    /// The rules of all accounts, or of all identities, are more than a site list holds.
    case tooManyRules
    /// Two accounts, or two identities, claim the same rule.
    case ruleAssignedTwice(rule: String, first: String, second: String)
    /// The profile asks for a scheme that cannot be answered.
    case schemeNotAnswerable(AuthenticationScheme)
    /// A scheme stands twice in the order of preference.
    case duplicateScheme(AuthenticationScheme)
    /// An account's password cannot be turned into an NT hash.
    case invalidPassword(account: String, NTLMKeyError)
    /// An account's user name or domain is none.
    case invalidAccount(account: String, AccountError)
    /// A client certificate cannot be read.
    case invalidCertificate(identity: String, CertificateError)
    /// The pins cannot be compiled.
    case pins(PinPolicyError)
    /// There is no account of this name.
    case unknownAccount(String)
}

extension ProfileError: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .duplicateName(let name): "the name '\(name)' stands twice: give each its own"
        case .assignmentWithoutSites(let name): "'\(name)' has no sites: add at least one rule, or remove it"
        case .invalidAssignmentRule(let name, let rule, let reason): "'\(name)', site rule '\(rule)': \(reason)"
        case .exceptionAssigned(let name, let rule):
            "'\(name)', site rule '\(rule)': an exception assigns nothing; put it into the profile's sites"
        case .tooManyRules: "the accounts or identities have more site rules than a list holds"
        case .ruleAssignedTwice(let rule, let first, let second):
            "the site rule '\(rule)' belongs to '\(first)' and '\(second)': make one of them narrower"
        case .schemeNotAnswerable(let scheme):
            "the scheme '\(scheme)' cannot be answered: choose from \(Self.answerable)"
        case .duplicateScheme(let scheme): "the scheme '\(scheme)' stands twice: remove one"
        case .invalidPassword(let account, let error): "the password of '\(account)': \(error)"
        case .invalidAccount(let account, let error): "'\(account)': \(error)"
        case .invalidCertificate(let identity, let error): "the certificate of '\(identity)': \(error)"
        case .pins(let error): "pins: \(error)"
        case .unknownAccount(let name): "there is no account called '\(name)'"
        }
    }

    private static var answerable: String {
        AuthenticationScheme.answerable.map(\.name).sorted().joined(separator: ", ")
    }
}
