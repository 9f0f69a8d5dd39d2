public import ClientAuthentication
public import Secrets
public import SystemKerberos

/// The passwords of Basic, judged by the KDC of a realm: the password gets a ticket, and the ticket is checked with the server's own keytab.
///
/// The second step is needed: an attacker in the place of the KDC can accept any password. He does not know the server's key.
public final class KerberosPasswords: ClientDirectory {
    /// How long a KDC has to answer, waiting for a thread included.
    static let timeLimit = Duration.seconds(5)
    /// How long a right password is not asked about again.
    static let memory = Duration.seconds(300)

    /// The schemes that the accounts can use.
    public static let schemes: [ClientScheme] = [.basic]

    private let library: KerberosLibrary
    private let realm: String
    private let host: String
    private let keytab: String?
    private let worker = KerberosWorker(timeLimit: timeLimit)
    private let accepted = AcceptedPasswords(for: memory)

    /// Loads the library. The keytab is read at the first password.
    ///
    /// - Parameters:
    ///   - realm: the realm of the accounts, such as `ACME.EXAMPLE`.
    ///   - host: this server's name; the keytab has the key of `HTTP/HOST` in the realm.
    ///   - keytab: the file; `nil` for the one that `KRB5_KTNAME` or krb5.conf names.
    /// - Throws: why the library cannot be loaded, and what to install.
    public init(realm: String, host: String, keytab: String? = nil) throws(KerberosLibraryError) {
        library = try KerberosLibrary.load()
        (self.realm, self.host, self.keytab) = (realm, host, keytab)
    }

    /// Returns `nil`: a KDC tells no secret.
    public func secret(of name: ClientName) async throws -> ClientSecret? { nil }

    /// Asks the KDC whether a password is right. A name may have the realm as its domain, or after an `@`; another one is wrong.
    ///
    /// - Throws: `KerberosError` if the KDC does not answer, or the ticket cannot be checked.
    public func accepts(_ password: SharedSecret, of name: ClientName) async throws -> Bool {
        guard let user = user(of: name) else { return false }
        let principal = "\(user)@\(realm)"
        if accepted.contains(password, of: Array(principal.utf8)) { return true }
        let isRight = try await worker.run { () throws(KerberosError) -> Bool in try self.judge(password, principal) }
        // A second request must not learn from memory what the first one did not wait for.
        try Task.checkCancellation()
        if isRight { accepted.insert(password, of: Array(principal.utf8)) }
        return isRight
    }

    /// The name with the realm as its domain, whichever way it was written; one of another realm stays as it is.
    public func canonical(_ name: ClientName) -> ClientName {
        user(of: name).map { ClientName(user: $0, domain: realm) } ?? name
    }

    /// The first part of the principal; `nil` for a name of another realm, and for one that Kerberos would take apart.
    private func user(of name: ClientName) -> String? {
        var user = Substring(name.user)
        var realms = [name.domain]
        if let at = user.lastIndex(of: "@") {
            realms.append(String(user[user.index(after: at)...]))
            user = user[..<at]
        }
        guard realms.allSatisfy({ $0.isEmpty || $0.uppercased() == realm.uppercased() }), !user.isEmpty,
            !user.contains(where: { "/@\\".contains($0) })
        else { return nil }
        return String(user)
    }

    private func judge(_ password: SharedSecret, _ principal: String) throws(KerberosError) -> Bool {
        let credential: KerberosCredential
        do throws(KerberosError) {
            credential = try KerberosCredential(.password(password, principal: principal), library: library)
        } catch {
            switch error.reason {
            case .wrongPassword, .unknownAccount, .accountDisabled, .passwordExpired: return false
            default: throw error
            }
        }
        let service = try KerberosService(host: host, naming: .realm(realm), library: library)
        var initiator = try KerberosInitiator(
            credential: credential,
            service: service,
            options: .init(demandsMutual: false)
        )
        return try isOurs(try initiator.step([UInt8]().span).token, from: principal)
    }

    /// Whether a ticket has our key and names the account. A forged KDC does not know the key, and could pass on another account's ticket.
    private func isOurs(_ token: [UInt8], from principal: String) throws(KerberosError) -> Bool {
        let keys = try KerberosCredential(acceptingWith: keytab, library: library)
        var acceptor = try KerberosAcceptor(credential: keys)
        guard try acceptor.step(token.span).isComplete, let client = acceptor.client else { return false }
        // Active Directory ignores case.
        return client.lowercased() == principal.lowercased()
    }
}
