package import HTTPAuthentication
internal import HTTPTypes
public import NTLM
internal import Negotiate

/// Authenticates the clients of a server or proxy; one for all its connections.
///
/// It does no I/O. ``connection(from:isEncrypted:isPinned:channelBindings:)`` makes the value that reads the requests of one connection.
public final class ClientAuthenticator: Sendable {
    /// What is offered, and the bounds.
    public let options: ClientAuthenticationOptions
    /// Where the accounts are.
    public let directory: any ClientDirectory
    let clock: @Sendable () -> FileTime
    let nonces = DigestNonces()
    let counts = NonceCounts()
    let limits: GuessLimits

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - options: what is offered, and the bounds.
    ///   - directory: where the accounts are.
    public convenience init(_ options: ClientAuthenticationOptions, directory: any ClientDirectory) {
        self.init(options, directory: directory, clock: { .now })
    }

    package init(
        _ options: ClientAuthenticationOptions,
        directory: any ClientDirectory,
        clock: @escaping @Sendable () -> FileTime
    ) {
        self.options = options
        self.directory = directory
        self.clock = clock
        limits = GuessLimits(options.guesses, clock: clock)
    }

    /// The same accounts and limits for another party: a stranger gets no more guesses where both are asked.
    package init(_ party: ChallengedParty, like other: ClientAuthenticator) {
        var options = other.options
        options.party = party
        self.options = options
        directory = other.directory
        clock = other.clock
        limits = other.limits
    }

    /// Makes the state of one connection.
    ///
    /// - Parameters:
    ///   - address: the peer's address as text, by which wrong passwords are counted; of IPv6 the first 64 bits are. A log-on makes the
    ///     whole address known. On loopback, where all programs have one address, give what tells their users apart. `nil` if the peer has
    ///     no address, or has one with all others, as behind a proxy.
    ///   - isEncrypted: whether the connection has TLS.
    ///   - isPinned: whether all requests of the connection come from one client, as in HTTP/1.1 without a proxy that shares
    ///     connections. NTLM is offered only then, also inside Negotiate.
    ///   - channelBindings: the bindings of this connection's TLS, in place of those in the options; `nil` for those.
    public func connection(
        from address: String?,
        isEncrypted: Bool,
        isPinned: Bool = true,
        channelBindings: ServerHandshake.BindingPolicy? = nil
    ) -> ClientConnection {
        ClientConnection(
            self,
            address: address,
            isEncrypted: isEncrypted,
            isPinned: isPinned,
            bindings: channelBindings ?? options.ntlm.channelBindings
        )
    }

    // MARK: - What is offered

    func isOffered(_ scheme: ClientScheme, isEncrypted: Bool, isPinned: Bool) -> Bool {
        guard options.schemes.contains(scheme) else { return false }
        return switch scheme {
        case .basic: isEncrypted || options.allowsCleartextBasic
        case .negotiate: !mechanisms(isPinned: isPinned).isEmpty
        case .ntlm: isPinned
        case .digestSHA256, .digestMD5: true
        }
    }

    /// What a client of Negotiate may choose.
    func mechanisms(isPinned: Bool) -> [Mechanism] {
        (options.kerberos == nil ? [] : [.kerberos]) + (isPinned && options.negotiatesNTLM ? [.ntlm] : [])
    }

    /// The challenges for a request without an answer, or with a wrong one.
    func challenges(isStale: Bool = false, isEncrypted: Bool, isPinned: Bool) -> [String] {
        let nonce = nonces.make(now: clock())
        return options.schemes.filter { isOffered($0, isEncrypted: isEncrypted, isPinned: isPinned) }.map { scheme in
            switch scheme {
            case .negotiate: "Negotiate"
            case .ntlm: "NTLM"
            case .digestSHA256: digestChallenge("SHA-256", nonce, isStale)
            case .digestMD5: digestChallenge("MD5", nonce, isStale)
            case .basic: "Basic realm=\"\(options.realm)\", charset=\"UTF-8\""
            }
        }
    }

    private func digestChallenge(_ algorithm: String, _ nonce: String, _ isStale: Bool) -> String {
        let stale = isStale ? ", stale=true" : ""
        return
            "Digest realm=\"\(options.realm)\", nonce=\"\(nonce)\", qop=\"auth\", algorithm=\(algorithm), charset=UTF-8"
            + stale
    }

    /// What a server that did not get an answer from its directory says: the request may come again.
    func refusal(_ status: Int, _ reason: ClientRefusal.Reason, retryAfter seconds: Int64? = nil) -> ClientRefusal {
        var fields = HTTPFields()
        if let seconds { fields[.retryAfter] = "\(seconds)" }
        return ClientRefusal(status: status, fields: fields, reason: reason)
    }
}
