internal import CredentialSources
internal import Hostnames
internal import OAuth

/// Reads an account whose tokens open ArcGIS servers.
struct ArcGISReader {
    let accounts: AccountReader

    /// The account; `nil` for one of another kind.
    func account(_ node: ProfileNode) throws(ProfileFileError) -> ArcGISAccount? {
        guard node.has("arcgis") else { return nil }
        let fields = try node.mapping(known: ["name", "arcgis", "sites", "cleartext"])
        let name = try fields.required("name", in: node).text()
        let sites = try SiteRuleReader.rules(fields, node)
        var account = try read(try fields.required("arcgis", in: node), name, sites)
        if let node = fields["cleartext"] { account.allowsCleartext = try node.boolean() }
        return account
    }

    /// The fields of each way, by the field that chooses it.
    private static let ways = [
        "portal": ["user", "password", "referer", "minutes"],
        "token-service": ["user", "password", "referer", "minutes"],
        "federated-with": ["server", "minutes"],
        "token": ["referer", "ends"],
    ]

    private func read(_ node: ProfileNode, _ name: String, _ sites: [String]) throws(ProfileFileError) -> ArcGISAccount
    {
        let fields = try node.mapping(
            known: [
                "portal", "token-service", "federated-with", "token", "user", "password", "server", "referer",
                "minutes", "ends",
            ]
        )
        let chosen = Self.ways.keys.filter { fields[$0] != nil }.sorted()
        guard chosen.count == 1, let way = chosen.first, let place = fields[way] else {
            throw node.error(
                "expected one of 'portal', 'token-service', 'federated-with' and 'token', which say where tokens come from"
            )
        }
        for (other, value) in fields.sorted(by: { $0.key < $1.key })
        where other != way && Self.ways[way]?.contains(other) != true {
            throw value.error("has no effect beside '\(way)': remove it")
        }
        var account = ArcGISAccount(name: name, sites: sites, way: try self.way(fields, node, place))
        if way == "portal" { account.portal = ArcGISPortal(root: try OAuthReader.url(place)) }
        if way == "token-service" { account.portal = ArcGISPortal(tokenService: try OAuthReader.url(place)) }
        if let node = fields["referer"] {
            let referer = try node.text()
            // It goes into a field of each request as it is.
            guard referer.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw node.error("a Referer has no blank and no character beyond ASCII: write a URL")
            }
            account.referer = referer
        }
        if let node = fields["minutes"] {
            let range = ArcGISAccount.minutesRange
            let minutes = try node.integer()
            guard range.contains(minutes) else {
                throw node.error("expected \(range.lowerBound) to \(range.upperBound) minutes")
            }
            account.minutes = minutes
        }
        return account
    }

    private func way(
        _ fields: [String: ProfileNode],
        _ node: ProfileNode,
        _ place: ProfileNode
    ) throws(ProfileFileError) -> ArcGISAccount.Way {
        if fields["token"] != nil {
            return .token(try secret(place), ends: try fields["ends"]?.seconds())
        }
        if fields["federated-with"] != nil {
            return .federated(
                with: try place.text(),
                server: try OAuthReader.url(try fields.required("server", in: node))
            )
        }
        let password = try fields["password"].map { node throws(ProfileFileError) in try secret(node) }
        return .user(try fields.required("user", in: node).text(), password: password)
    }

    private func secret(_ node: ProfileNode) throws(ProfileFileError) -> CredentialPlace {
        guard node.has("systemd-credential") else { return .value(try accounts.secret(node)) }
        let fields = try node.mapping(known: ["systemd-credential"], isSecret: true)
        return .systemdCredential(name: try fields.required("systemd-credential", in: node).text())
    }

    /// Gives each federated account the portal of the account that it names.
    static func join(_ accounts: inout [TokenAccount], _ nodes: [String: ProfileNode]) throws(ProfileFileError) {
        for (index, account) in accounts.enumerated() {
            guard case .arcGIS(var federated) = account, case .federated(let name, _) = federated.way else { continue }
            let portals = accounts.lazy.filter { $0.name == name }.compactMap(\.portal)
            guard let portal = portals.first else {
                let problem = "no account of this name has 'portal': name the account of the portal"
                let node = nodes[federated.name]
                throw ProfileFileError(
                    path: node?.path ?? "",
                    line: node?.line,
                    field: node.map { "\($0.field).arcgis.federated-with" },
                    problem: problem
                )
            }
            federated.portal = portal
            accounts[index] = .arcGIS(federated)
        }
    }
}
