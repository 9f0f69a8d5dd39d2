public import Credentials

/// Which of the user's identities a server that asks gets.
public enum IdentityChoice: Equatable, Sendable {
    /// One identity fits.
    case one(ClientIdentity)
    /// Several identities fit: the user must say which.
    case several([IdentityCandidate])
    /// None is presented.
    case none(Refusal)

    /// Chooses among identities that are assigned to the server.
    ///
    /// An identity fits if its certificate is for clients, was issued below an authority that the server names, has a key whose
    /// signatures the server accepts, and is valid now.
    ///
    /// - Parameters:
    ///   - candidates: the identities.
    ///   - request: what the server accepts.
    ///   - now: Unix time in seconds; `nil` if the time does not count.
    public init(among candidates: [IdentityCandidate], for request: CertificateRequest, at now: Int64?) {
        var fitting: [IdentityCandidate] = []
        var furthest: (place: IdentityCandidate.Obstacle, refusal: Refusal)?
        for candidate in candidates {
            guard let obstacle = candidate.obstacle(to: request, at: now) else {
                fitting.append(candidate)
                continue
            }
            if furthest.map({ $0.place < obstacle.place }) ?? true { furthest = obstacle }
        }
        switch fitting.count {
        case 0: self = .none(furthest?.refusal ?? .noCredential)
        case 1: self = .one(fitting[0].identity)
        default: self = .several(fitting)
        }
    }
}

extension IdentityChoice {
    /// The same as a decision: without a reply of the user, none of several identities is presented.
    public var decision: IdentityDecision {
        switch self {
        case .one(let identity): .present(identity)
        case .several(let candidates): .withhold(.severalIdentities(candidates.map(\.identity.name)))
        case .none(let refusal): .withhold(refusal)
        }
    }
}
