internal import AllowedSites

/// Reads the sites of accounts and identities.
enum SiteRuleReader {
    /// - Parameter isOfIdentity: whether the rules are for servers that ask for a certificate in their TLS handshake, where no request has a
    ///   path yet.
    static func rules(
        _ fields: [String: ProfileNode],
        _ parent: ProfileNode,
        ofIdentity isOfIdentity: Bool = false
    ) throws(ProfileFileError) -> [String] {
        let node = try fields.required("sites", in: parent)
        var rules: [String] = []
        for element in try node.sequence() {
            let rule = try element.text()
            let parsed: SiteRule
            do throws(SiteRuleError) {
                parsed = try SiteRule(parsing: rule, allowingPublicSuffix: true)
            } catch {
                throw element.error("\(error)")
            }
            guard !isOfIdentity || parsed.path == nil else {
                throw element.error("a client certificate is for a whole server: remove the path")
            }
            guard !isOfIdentity || parsed.schemes != .http else {
                throw element.error("without TLS no server asks for a certificate: write https://")
            }
            rules.append(rule)
        }
        return rules
    }
}
