extension KerberosError: CustomStringConvertible {
    /// One line: what was to be done, what is wrong, what to do.
    public var description: String {
        var text = "Kerberos cannot \(operation.rawValue)"
        if let subject { text += " for \(subject)" }
        text += ": \(reason.problem)"
        if !detail.isEmpty { text += " (\(detail))" }
        return "\(text); \(reason.remedy)"
    }
}

extension KerberosError.Reason {
    /// What is wrong.
    var problem: String {
        switch self {
        case .noTicket: "the cache has no ticket"
        case .ticketExpired: "the ticket has expired"
        case .wrongPassword: "the password or key is wrong"
        case .unknownAccount: "the KDC does not know the account"
        case .accountDisabled: "the account is disabled, locked or expired"
        case .passwordExpired: "the password has expired"
        case .kdcUnreachable: "no KDC of the realm answers"
        case .unknownRealm: "the realm is unknown"
        case .configuration: "the configuration cannot be read"
        case .clockSkew: "the clocks of this machine and its peer differ too much"
        case .unknownService: "the KDC does not know the service"
        case .encryptionType: "no encryption type is common to both sides"
        case .keytab: "the keytab cannot be read or lacks the entry"
        case .cache: "the ticket cache cannot be read"
        case .wrongKey: "the ticket is for another key or service"
        case .refusedByPolicy: "the KDC's policy refuses it"
        case .bindingsMismatch: "the peer speaks over another TLS connection"
        case .bindingsMissing: "the peer sent no channel binding"
        case .replayed: "the message was used before"
        case .malformedToken: "the message is not a Kerberos token"
        case .tokenTooLong: "the message is longer than \(KerberosLimits.tokenBytes) bytes"
        case .tooManySteps: "the log-on takes more than \(KerberosLimits.steps) messages"
        case .badIntegrity: "the integrity code is wrong"
        case .notMutual: "the server did not prove who it is"
        case .refusedByPeer: "the server refuses the log-on"
        case .badName: "the name is not valid"
        case .badBinding: "the channel binding is empty or longer than \(KerberosLimits.bindingBytes) bytes"
        case .unsupported: "the library cannot do it"
        case .outOfTurn: "the exchange is over, or its last step still runs"
        case .timedOut: "no answer came within the time limit"
        case .overloaded: "too many calls wait already"
        case .stopped: "no thread can run the call"
        case .other: "the library refuses it"
        }
    }

    /// What to do.
    var remedy: String {
        switch self {
        case .noTicket, .ticketExpired: "run kinit, or configure a keytab or a password"
        case .wrongPassword: "correct the password or keytab; a wrong one may lock the account"
        case .unknownAccount: "check the account and its realm, which is in capital letters as a rule"
        case .accountDisabled: "ask the administrator of the account"
        case .passwordExpired: "change the password with kpasswd"
        case .kdcUnreachable: "check the network and the kdc lines of krb5.conf"
        case .unknownRealm: "name the realm in krb5.conf: realms, domain_realm or default_realm"
        case .configuration: "check krb5.conf, or the file that KRB5_CONFIG names"
        case .clockSkew: "set the clock, for instance by NTP"
        case .unknownService: "check the host name; the administrator adds the service with setspn or addprinc"
        case .encryptionType: "allow a common type on KDC, account and client"
        case .keytab: "check the keytab's path, its rights, and its entries with klist -k"
        case .cache: "check the cache's name and rights, or run kinit"
        case .wrongKey: "make a new keytab for the service, and a new ticket with kinit"
        case .refusedByPolicy: "ask the administrator of the realm"
        case .bindingsMismatch: "look for a proxy that ends TLS in between"
        case .bindingsMissing: "use a client with channel bindings, or do not demand them"
        case .replayed: "send a new message for each request"
        case .malformedToken, .tokenTooLong, .tooManySteps, .badIntegrity: "refuse the peer"
        case .notMutual: "refuse the server's answer, or make mutual authentication optional"
        case .refusedByPeer: "look at the server's log"
        case .badName: "use a name such as user@REALM or a host name"
        case .badBinding: "give the bytes of RFC 5929, or none"
        case .unsupported: "use MIT Kerberos 1.18 or later (Debian: libgssapi-krb5-2)"
        case .outOfTurn: "start a new exchange"
        case .timedOut: "check the KDC, or allow more time"
        case .overloaded: "try again later, or allow more calls"
        case .stopped: "check the limit of threads"
        case .other: "look up the numbers of the library"
        }
    }
}
