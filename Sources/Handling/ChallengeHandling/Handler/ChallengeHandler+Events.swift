internal import AllowedSites
internal import Credentials
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames

extension ChallengeHandler {
    /// The profile with the passwords in use, without its secrets.
    var summary: ProfileSummary {
        ProfileSummary(
            number: compiled.number,
            sites: sites.rules(atMost: ProfileSummary.mostSites)?.map(\.description),
            schemes: compiled.profile.schemes,
            // A placed token decides nothing about a challenge.
            accounts: currentAccounts().filter { $0.assignment.placement == nil }.map {
                ProfileSummary.AccountSummary($0.assignment, password: $0.passwordNumber)
            },
            lockout: compiled.profile.lockout
        )
    }

    /// How the offers of a challenge are judged, for a decision that has been made. It changes nothing.
    ///
    /// - Parameters:
    ///   - request: the request at the party that challenges.
    ///   - fields: the fields of its response.
    ///   - connection: the connection on which it came.
    ///   - chosen: the scheme that answers; `nil` if none does.
    func selection(
        _ request: ChallengedRequest,
        fields: HTTPFields,
        on connection: ConnectionTraits,
        chosen: AuthenticationScheme?
    ) -> SchemeSelection {
        let offer = OfferedChallenges(by: request.party, in: fields)
        let site = sites.verdict(for: request.origin, path: request.path)
        let index = compiled.accounts.assignment(for: request.origin, path: request.path)
        let prepared = index.map { preparedAccount(at: $0) }
        let response = Response(
            status: request.party.status,
            fields: fields,
            offer: offer,
            connection: connection,
            nonces: .fresh
        )
        return SchemeSelection(
            party: request.party,
            origin: request.origin,
            site: site,
            siteRule: site.rule.flatMap { sites.rule(at: $0) }?.description,
            account: prepared?.account.name,
            accountRule: compiled.accounts.rule(for: request.origin, path: request.path)?.description,
            offers: offer.schemes.map { scheme in
                let fate =
                    site.isAllowed
                    ? fate(of: scheme, chosen, request, prepared, response) : SchemeSelection.Fate.notCompared
                return SchemeSelection.Offer(scheme: scheme, fate: fate)
            },
            chosen: chosen
        )
    }

    private func fate(
        of offered: AuthenticationScheme,
        _ chosen: AuthenticationScheme?,
        _ request: ChallengedRequest,
        _ prepared: PreparedAccount?,
        _ response: Response
    ) -> SchemeSelection.Fate {
        guard offered != chosen else { return .chosen }
        guard let prepared else {
            return compiled.schemes.contains { $0.name == offered } ? .notCompared : .notAllowed
        }
        guard let position = prepared.schemes.firstIndex(where: { $0.name == offered }) else { return .notAllowed }
        let scheme = prepared.schemes[position]
        if let obstacle = obstacle(to: scheme, request, prepared, response) { return .obstacle(obstacle) }
        guard let winner = prepared.schemes.firstIndex(where: { $0.name == chosen }) else { return .notCompared }
        if position > winner { return .lessPreferred }
        // The account's order decides, so a scheme before the chosen one has failed: its challenge could not be met, or it was
        // weaker than one whose challenge could not be met.
        let isWeaker = prepared.schemes[..<position].contains { earlier in
            earlier.strength > scheme.strength && response.offer.includes(earlier.name)
                && obstacle(to: earlier, request, prepared, response) == nil
        }
        return isWeaker ? .weaker : .unmetDemand
    }
}

extension ProfileSummary.AccountSummary {
    init(_ assignment: AccountAssignment, password: UInt64) {
        let account = assignment.account
        self.init(
            name: account.name,
            user: account.user,
            domain: account.domain,
            userForm: account.userForm,
            sites: assignment.sites,
            schemes: assignment.schemes,
            allowsCleartext: assignment.allowsCleartext,
            allowsDowngrade: assignment.allowsDowngrade,
            allowsUnbound: assignment.allowsUnbound,
            digest: assignment.digest,
            password: password
        )
    }
}

extension OfferedChallenges {
    /// The schemes that can be read, each once, in the order of the response.
    var schemes: [AuthenticationScheme] {
        var seen: Set<AuthenticationScheme> = []
        return challenges.map(\.scheme).filter { seen.insert($0).inserted }
    }
}
