internal import SallyportRelay

/// Why the arguments describe no relay.
enum RelayProblem: Error, Equatable {
    case parent(RelayParentError)
    case checkedURL(String)
    case list(option: String, String)
    case mapping(option: String, String)
    case forwarding(option: String, String)
    case identity(String)
    /// Nothing that the arguments name can ask for the certificate of --cert.
    case uselessCertificate
    /// A profile that is read again has the first accounts with tokens.
    case tokens
}

extension RelayProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .parent(let error): "--parent: \(error)"
        case .mapping(let option, let problem), .forwarding(let option, let problem): "\(option): \(problem)"
        case .identity(let problem): "--identity: \(problem)"
        case .uselessCertificate:
            "--cert: no parent and no mapped server is reached over TLS, where one could ask for it: write https:// before it, or remove --cert"
        case .tokens:
            "the profile has its first account with 'oauth', whose tokens need the store: start the relay again"
        case .list(let option, let problem): "\(option): \(problem)"
        case .checkedURL(let problem): "--check: \(problem)"
        }
    }
}
