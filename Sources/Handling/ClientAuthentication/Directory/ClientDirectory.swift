public import NTLM
public import Secrets

/// Where a server or proxy finds the accounts of its clients: a file, a database, a service.
///
/// Calls may wait. The server bounds how long it waits for them.
public protocol ClientDirectory: Sendable {
    /// What the directory knows of an account; `nil` for an unknown one. Digest needs it.
    ///
    /// A directory that keeps one-way hashes returns `nil` here and has its own ``accepts(_:of:)``. Offer Basic alone then.
    func secret(of name: ClientName) async throws -> ClientSecret?

    /// Whether a password is that of the account; `false` for an unknown one. Basic asks this.
    func accepts(_ password: SharedSecret, of name: ClientName) async throws -> Bool

    /// The one name of an account that several spellings mean, such as one with and one without the domain. Guesses are counted by it, and it is the
    /// name of a client that is let in. The default is the name as it is.
    func canonical(_ name: ClientName) -> ClientName

    /// What the directory says of a response of NTLM.
    ///
    /// A directory that may not tell the hash of an account, such as that of a domain, judges the response itself. The default returns the hash of
    /// ``secret(of:)``.
    func judgement(of proof: ClientProof, of name: ClientName) async throws -> ProofJudgement
}

extension ClientDirectory {
    /// Compares with ``secret(of:)``. An unknown account takes as long as a wrong password.
    public func accepts(_ password: SharedSecret, of name: ClientName) async throws -> Bool {
        let known = try await secret(of: name)
        let isRight = (known ?? .standIn).accepts(password)
        return known != nil && isRight
    }

    /// Returns the name as it is.
    public func canonical(_ name: ClientName) -> ClientName { name }

    /// Returns the hash of ``secret(of:)``.
    public func judgement(of proof: ClientProof, of name: ClientName) async throws -> ProofJudgement {
        .hash(try await secret(of: name)?.ntHash)
    }
}

/// A directory of accounts that are known from the start. Case does not matter in names.
public struct FixedDirectory: ClientDirectory {
    private let secrets: [String: ClientSecret]

    /// Makes a directory.
    ///
    /// - Parameter accounts: the accounts. Of two names that differ in case alone, one counts.
    public init(_ accounts: [ClientName: ClientSecret]) {
        secrets = Dictionary(accounts.map { ($0.account, $1) }, uniquingKeysWith: { first, _ in first })
    }

    /// The secret of an account.
    public func secret(of name: ClientName) async -> ClientSecret? { secrets[name.account] }
}
