public import ClientAuthentication

/// How clients of a relay authenticate themselves, and where their accounts are.
public struct ClientAccounts: Sendable {
    /// What is offered, and the bounds. The party does not matter: a proxy asks with 407, a mapped listener with 401.
    ///
    /// Basic is offered over TLS alone, unless `allowsCleartextBasic` is set. curl and cntlm send no integrity code with NTLM, so
    /// `ntlm.sendsTimestamp` must be false for them.
    public var options: ClientAuthenticationOptions
    /// Where the accounts are.
    public var directory: any ClientDirectory

    /// Clients with accounts of `directory`.
    public init(_ options: ClientAuthenticationOptions, directory: any ClientDirectory) {
        (self.options, self.directory) = (options, directory)
    }
}
