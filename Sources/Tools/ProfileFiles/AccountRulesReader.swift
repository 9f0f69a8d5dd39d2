internal import ChallengeHandling
internal import Credentials
internal import HTTPAuthentication

/// Reads how an account may answer.
enum AccountRulesReader {
    /// The fields of an account that are read here, and `schemes`.
    static let fields = [
        "schemes", "cleartext", "downgrade", "unbound", "in-advance", "digest", "kerberos", "negotiate-mutual",
        "negotiate-ntlm",
        "delegate",
    ]

    static func read(
        _ fields: [String: ProfileNode],
        _ paths: ProfilePaths,
        into assignment: inout AccountAssignment
    ) throws(ProfileFileError) {
        if let node = fields["cleartext"] { assignment.allowsCleartext = try node.boolean() }
        if let node = fields["downgrade"] { assignment.allowsDowngrade = try node.boolean() }
        if let node = fields["unbound"] { assignment.allowsUnbound = try node.boolean() }
        if let node = fields["in-advance"] {
            guard assignment.account.credential.token != nil else {
                throw node.error("only a token may go out before a challenge: remove it, or give 'token'")
            }
            assignment.sendsTokenFirst = try node.boolean()
        }
        if let node = fields["digest"] { assignment.digest = try digest(node) }
        if let node = fields["kerberos"] { try readKerberos(node, paths, into: &assignment) }
        if let node = fields["delegate"] {
            assignment.negotiate.delegates = try node.boolean()
            guard assignment.negotiate.usesKerberos || !assignment.negotiate.delegates else {
                throw node.error("only a ticket can be delegated: add 'kerberos', or remove it")
            }
        }
        if let node = fields["negotiate-ntlm"] {
            assignment.negotiate.allowsNTLM = try node.boolean()
            guard assignment.negotiate.usesKerberos || assignment.negotiate.allowsNTLM else {
                throw node.error("'negotiate-ntlm: false' needs Kerberos: add 'kerberos', or remove this line")
            }
        }
        if let node = fields["negotiate-mutual"] {
            switch try node.text() {
            case "required": assignment.negotiate.demandsServerProof = true
            case "optional": assignment.negotiate.demandsServerProof = false
            default: throw node.error("expected required or optional")
            }
        }
    }

    /// Whether an account with this value of `kerberos` needs no password.
    static func standsAlone(_ node: ProfileNode) throws(ProfileFileError) -> Bool {
        if node.isMapping { return true }
        return try node.text() == "password" ? false : node.boolean()
    }

    private static func readKerberos(
        _ node: ProfileNode,
        _ paths: ProfilePaths,
        into assignment: inout AccountAssignment
    ) throws(ProfileFileError) {
        assignment.negotiate.usesKerberos = true
        if node.isMapping {
            let keytab = try node.mapping(known: ["keytab"]).required("keytab", in: node)
            assignment.negotiate.tickets = .keytab(paths.absolute(try keytab.text()))
        } else if try node.text() == "password" {
            guard assignment.account.credential.password != nil else {
                throw node.error("the account has no password to get a ticket with: add 'password', or write true")
            }
            assignment.negotiate.tickets = .password
        } else {
            assignment.negotiate.usesKerberos = try node.boolean()
        }
        if assignment.negotiate.tickets != .cache, assignment.account.principalForKDC == nil {
            throw node.error("the domain is a NetBIOS name, which no KDC knows: write the user as user@REALM")
        }
    }

    private static func digest(_ node: ProfileNode) throws(ProfileFileError) -> DigestRules {
        let fields = try node.mapping(known: ["missing-qop", "server-proof", "weakest"])
        var rules = DigestRules()
        if let node = fields["missing-qop"] { rules.allowsMissingQop = try node.boolean() }
        if let node = fields["server-proof"] { rules.demandsServerProof = try node.boolean() }
        if let node = fields["weakest"] {
            switch try node.text() {
            case "md5": rules.weakest = .md5
            case "sha-256": rules.weakest = .sha2
            default: throw node.error("expected md5 or sha-256")
            }
        }
        return rules
    }
}
