internal import HTTPAuthentication
internal import Sallyport

/// Reads how an account may answer.
enum AccountRulesReader {
    /// The fields of an account that are read here, and `schemes`.
    static let fields = [
        "schemes", "cleartext", "downgrade", "unbound", "in-advance", "digest", "kerberos", "negotiate-mutual",
    ]

    static func read(
        _ fields: [String: ProfileNode],
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
        if let node = fields["kerberos"] { assignment.negotiate.usesKerberos = try node.boolean() }
        if let node = fields["negotiate-mutual"] {
            switch try node.text() {
            case "required": assignment.negotiate.demandsServerProof = true
            case "optional": assignment.negotiate.demandsServerProof = false
            default: throw node.error("expected required or optional")
            }
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
