internal import AllowedSites
internal import Hostnames
internal import NIOHTTP1
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import SallyportNIO
internal import WireFormat

extension Explanation {
    /// A session whose events this story collects.
    func session(_ options: RequestArguments, verb: String) throws -> RequestSession {
        try RequestSession(
            options,
            verb: verb,
            observer: observer,
            report: { [self] place, user, question in notePassword(of: user, from: place, question) },
            untrusted: { [self] server, reply in noteUntrusted(server, reply) },
            unreached: { [self] proxy, error in noteUnreached(proxy, error) }
        )
    }

    /// Tells what is known before the request: the rule of the site, the account, the proxy, the trust in the server.
    func begin(_ session: RequestSession, _ options: RequestArguments) {
        let location = session.url.location
        note(session.authenticator.current, session.certificateRemedy)
        let handler = session.authenticator.current.handler
        add(site(of: location, handler, options, "site"))
        if let account = session.tokenAccount {
            add(token(of: account, for: location.origin, by: session.tokenRule))
        } else {
            add(account(for: location.origin, location.path, .origin, handler, session.places))
        }
        if let step = placedToken(at: location, session) { add(step) }
        add(route(to: location.origin, session, options))
        for proxy in session.firstWays.ways.compactMap(\.self) {
            add(site(of: URLLocation(origin: proxy, path: "/"), handler, options, "site"))
            add(account(for: proxy, "/", .proxy, handler, session.places))
        }
        if location.origin.scheme == .https { add(trust(location.origin, handler, options)) }
        let servers = [location.origin] + session.firstWays.ways.compactMap(\.self)
        if servers.contains(where: { $0.scheme == .https }) {
            add(Self.unchecked(besides: session.revocationLists.issuers))
        }
    }

    /// What a server with a good certificate may still hide.
    ///
    /// - Parameter issuers: the authorities whose lists are checked.
    private static func unchecked(besides issuers: [String]) -> ExplanationStep {
        let names = issuers.map { $0.inOneLine }.joined(separator: " and ")
        let revoked =
            issuers.isEmpty
            ? "whether a certificate was revoked (no OCSP, stapled or asked for, and no CRL: --crl names a list)"
            : "whether a certificate was revoked that is not from \(names) (--crl has no list of others, and no OCSP is asked for)"
        let checks = ["ocsp"] + (issuers.isEmpty ? ["crl"] : []) + ["certificate-transparency"]
        return ExplanationStep(
            topic: "unchecked",
            text:
                "\(revoked), and whether a log of Certificate Transparency has it: pins or short-lived certificates make up for both",
            members: [
                ("checks", .array(checks.map(JSONValue.string))), ("lists", .array(issuers.map(JSONValue.string))),
            ]
        )
    }

    private func site(
        of location: URLLocation,
        _ handler: ChallengeHandler,
        _ options: RequestArguments,
        _ topic: String
    ) -> ExplanationStep {
        let explanation = handler.siteExplanation(for: location.origin, path: location.path)
        let found = explanation.verdict.rule.flatMap { handler.siteRule(at: $0) }
        let list = options.account.profile ?? found?.list ?? "command line"
        let text: String
        if let reference = explanation.verdict.rule, let found {
            let line = options.account.profile == nil ? "" : ", rule \(reference.line) of \(list.inOneLine)"
            text =
                "\(location.origin): \(explanation.verdict.isAllowed ? "may" : "may not") receive credentials, by \(found.rule)\(line)"
        } else {
            text = "\(location.origin): may not receive credentials, because no rule of \(list.inOneLine) allows it"
        }
        return ExplanationStep(
            topic: topic,
            text: text,
            details: options.account.profile == nil ? [] : explanation.steps,
            members: [
                ("origin", .string("\(location.origin)")),
                ("verdict", .string(explanation.verdict.isAllowed ? "allowed" : "denied")),
                ("rule", JSONValue(found?.rule.description)),
                ("line", explanation.verdict.rule.map { .integer(UInt64($0.line)) } ?? .null), ("list", .string(list)),
            ]
        )
    }

    private func account(
        for origin: Origin,
        _ path: String,
        _ party: ChallengedParty,
        _ handler: ChallengeHandler,
        _ places: [String]
    ) -> ExplanationStep {
        let space = ProtectionSpace(origin: origin, path: path, kind: .http(schemes: [], party: party))
        let who = party == .proxy ? "the proxy \(origin)" : "\(origin)"
        if let account = handler.account(for: space) {
            let rule = handler.accountRule(for: origin, path: path) ?? ""
            let proof = account.credential.isTicket ? "a ticket of Kerberos" : "the secret of the profile"
            return ExplanationStep(
                topic: "account",
                text:
                    "'\(account.name)' (\(account.qualifiedUser)) for \(who), by the rule \(rule), with \(proof)",
                members: [
                    ("account", .string(account.name)), ("user", .string(account.qualifiedUser)),
                    ("rule", .string(rule)),
                ]
            )
        }
        let asked = places.isEmpty ? "nothing is asked for one" : "asked if needed: \(places.joined(separator: ", "))"
        return ExplanationStep(
            topic: "account",
            text: "none for \(who) yet; \(asked)",
            members: [("account", .null), ("places", .array(places.map(JSONValue.string)))]
        )
    }

    private func route(
        to origin: Origin,
        _ session: RequestSession,
        _ options: RequestArguments
    ) -> ExplanationStep {
        if let pac = session.ways.pac { return route(by: pac.place, session.firstWays, session.ways.desktop) }
        if let desktop = session.ways.desktop, let proxies = desktop.proxies {
            return route(to: origin, by: proxies, of: desktop, session.firstWays)
        }
        let proxies = session.ways.proxies
        let proxy = proxies.proxy(for: origin)
        let text: String
        if let proxy {
            text = "\(proxy.origin), from \(proxy.place)"
        } else if options.request.direct {
            text = "none, because of --direct"
        } else if proxies.isException(origin), let place = proxies.placeOfExceptions {
            text = "none, because \(place) names the host"
        } else {
            text = "none: no option and no variable names one for \(origin.scheme.rawValue)"
        }
        return ExplanationStep(
            topic: "proxy",
            text: text,
            members: [("proxy", JSONValue(proxy.map { "\($0.origin)" })), ("from", JSONValue(proxy?.place))]
        )
    }

    private func route(
        to origin: Origin,
        by proxies: DesktopProxies,
        of desktop: DesktopSetting,
        _ choice: RequestWays.Choice
    ) -> ExplanationStep {
        let proxy = choice.ways.first.flatMap(\.self)
        let text: String
        if let proxy {
            text = "\(proxy), from \(desktop.place)"
        } else if proxies.proxy(for: origin.scheme) != nil {
            text = "none, because \(desktop.place) excepts the host"
        } else {
            text = "none: \(desktop.place) names none for \(origin.scheme.rawValue)"
        }
        return ExplanationStep(
            topic: "proxy",
            text: text,
            members: [
                ("proxy", JSONValue(proxy.map { "\($0)" })),
                ("from", .string("\(DesktopSetting.option) \(desktop.desktop.rawValue)")),
            ]
        )
    }

    private func route(
        by place: PACPlace,
        _ choice: RequestWays.Choice,
        _ desktop: DesktopSetting?
    ) -> ExplanationStep {
        let names = choice.ways.map { way in way.map { "\($0)" } ?? "none" }
        let left = choice.left.map { "; \($0) is left out, because it speaks SOCKS" }.joined()
        let owner = desktop.map { " of \($0.place)" } ?? ""
        return ExplanationStep(
            topic: "proxy",
            text: "\(names.joined(separator: ", then ")), by the PAC file \(place.text.inOneLine)\(owner)\(left)",
            members: [
                ("proxy", JSONValue(choice.ways.first.flatMap(\.self).map { "\($0)" })),
                ("from", .string("\(place.option) \(place.text)")), ("ways", .array(names.map(JSONValue.string))),
            ]
        )
    }

    private func trust(
        _ origin: Origin,
        _ handler: ChallengeHandler,
        _ options: RequestArguments
    ) -> ExplanationStep {
        let roots = "the authorities of \(options.request.authorities?.inOneLine ?? "the system")"
        let isPinned = handler.hasPins(for: origin.host)
        let trusted = handler.hasTrustedKeys(for: origin.host) ? ", or a key that the profile trusts" : ""
        let certificate =
            switch handler.identityChoice(for: origin, .unknown, at: SystemClock.unixSeconds) {
            case .one(let identity): "; the client certificate '\(identity.name)' is presented if the server asks"
            case .several: "; a client certificate is presented if the server asks"
            case .none: ""
            }
        return ExplanationStep(
            topic: "trust",
            text:
                "\(roots)\(trusted)\(isPinned ? ", and the pins of the profile" : "; the profile has no pins for this host")\(certificate)",
            members: [("pinned", .string(isPinned ? "yes" : "no"))]
        )
    }

    /// Tells how it ended: what the response or the error says, and what to do.
    func end(_ story: ResponseExplanation, _ url: String) {
        add(story.identity)
        add(
            ExplanationStep(
                topic: "outcome",
                text: story.problem.map { "no: \(url): \(story.statusText): \($0)" }
                    ?? "yes: \(url): \(story.statusText)",
                members: [
                    ("status", .integer(UInt64(story.status.code))),
                    ("answer", .string(story.isSuccess ? "yes" : "no")),
                    ("authentication", .string(story.word)), ("refusal", JSONValue(story.code)),
                ]
            )
        )
    }

    /// The same for a request without a response.
    func end(_ failure: RequestFailure) {
        add(failure.identity)
        add(
            ExplanationStep(
                topic: "outcome",
                text: "\(failure.isAnswer ? "no" : "could not run"): \(failure.text)",
                members: [("status", .null), ("answer", .string(failure.isAnswer ? "no" : "could-not-run"))]
            )
        )
    }
}
