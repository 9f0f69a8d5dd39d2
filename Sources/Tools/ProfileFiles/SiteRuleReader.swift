internal import AllowedSites

/// Reads the sites of accounts and identities.
enum SiteRuleReader {
    static func rules(_ fields: [String: ProfileNode], _ parent: ProfileNode) throws(ProfileFileError) -> [String] {
        let node = try fields.required("sites", in: parent)
        var rules: [String] = []
        for element in try node.sequence() {
            let rule = try element.text()
            do throws(SiteRuleError) {
                _ = try SiteRule(parsing: rule, allowingPublicSuffix: true)
            } catch {
                throw element.error("\(error)")
            }
            rules.append(rule)
        }
        return rules
    }
}
