internal import HTTPAuthentication
internal import OfflineVerbs
internal import Sallyport

extension ExplanationStep {
    /// The step of an event; `nil` for an event that another step tells.
    ///
    /// - Parameter connection: what is known of the connection of a response.
    init?(_ event: AuthenticationEvent, connection: String?) {
        switch event.content {
        case .started(let start): self.init(topic: "request", text: "\(start)")
        case .response(let response): self.init(response, connection)
        case .selection(let selection): self.init(selection)
        case .answered(let answer): self.init(answer)
        case .tokenPlaced, .restarted, .waiting, .needed, .unmet, .forgiven, .judged, .lockout:
            self.init(topic: Self.topic(of: event.content), text: "\(event.content)")
        case .ended(let end): self.init(end)
        case .replied(let ask, let reply):
            // What a source had is a step of its own, and so is a server that is not trusted.
            guard reply != .use, ask.source != .trust else { return nil }
            self.init(topic: "asked", text: "\(event.content)", members: [("reply", .string(reply.rawValue))])
        case .asked, .profile, .signedOut: return nil
        }
        if let number = event.request { members.insert(("request", .integer(number)), at: 0) }
    }

    private static func topic(of content: AuthenticationEvent.Content) -> String {
        if case .judged = content { return "server" }
        return content.code
    }

    private init(_ response: ResponseSeen, _ connection: String?) {
        let tls: String
        switch response.connection.security {
        case .leaf(nil): tls = ", TLS whose certificate can bind answers"
        case .leaf(let gap?): tls = ", TLS whose certificate cannot bind answers: \(ChannelBindingUse.unbound(gap))"
        case .unknownLeaf: tls = ", TLS whose certificate is not known"
        case .some(.none), nil: tls = ""
        }
        self.init(topic: "response", text: "\(response), on \(connection ?? "a connection")\(tls)")
        members = [
            ("status", .integer(UInt64(max(0, response.status)))),
            ("challenger", JSONValue(response.challenger.map { $0 == .proxy ? "proxy" : "origin" })),
            ("offers", .array(response.offers.map { .string($0.name) })), ("connection", JSONValue(connection)),
        ]
    }

    private init(_ selection: SchemeSelection) {
        let who = selection.party == .proxy ? "the proxy \(selection.origin)" : "\(selection.origin)"
        let rule = selection.accountRule.map { ", by the rule \($0)" } ?? ""
        let account = selection.account.map { Self.named($0, rule) } ?? ""
        self.init(
            topic: "scheme",
            text: selection.chosen.map { "\($0) answers \(who)\(account)" } ?? "no scheme answers \(who)"
        )
        details = selection.offers.filter { $0.fate != .chosen }.map {
            "\($0.scheme.name): \(Self.reason($0, selection))"
        }
        members = [
            ("party", .string(selection.party == .proxy ? "proxy" : "origin")),
            ("origin", .string("\(selection.origin)")),
            ("chosen", JSONValue(selection.chosen?.name)), ("account", JSONValue(selection.account)),
            ("accountRule", JSONValue(selection.accountRule)), ("siteRule", JSONValue(selection.siteRule)),
            (
                "offers",
                .array(
                    selection.offers.map {
                        .object([("scheme", .string($0.scheme.name)), ("fate", .string($0.fate.code))])
                    }
                )
            ),
        ]
    }

    /// Why a scheme does not answer, and what to do if it should.
    private static func reason(_ offer: SchemeSelection.Offer, _ selection: SchemeSelection) -> String {
        switch offer.fate {
        case _ where !offer.scheme.isAnswerable: "sallyport does not know it"
        case .chosen: "it answers"
        case .notAllowed: "not one of the schemes of the account: add it to 'schemes' if it may answer"
        case .obstacle(let refusal): "\(refusal)"
        case .unmetDemand: "its challenge demands what this client or request does not have"
        case .lessPreferred: "\(selection.chosen?.name ?? "another") stands before it in 'schemes'"
        case .weaker: "weaker than a scheme whose challenge could not be met, so it may be an attack"
        case .notCompared:
            selection.site.isAllowed ? "there is no account yet" : "the site may not receive credentials"
        }
    }

    private init(_ answer: AnswerSent) {
        let binding: String
        switch answer.channelBinding {
        case .notApplicable: binding = ""
        case .bound, .unbound: binding = ", \(answer.channelBinding)"
        }
        let to = answer.party == .proxy ? "the proxy" : "the server"
        self.init(
            topic: "answer",
            text: "\(answer.scheme), message \(answer.leg) to \(to)\(Self.named(answer.account))"
                + (answer.isInAdvance ? ", in advance" : "") + binding
        )
        members = [
            ("scheme", .string(answer.scheme.name)), ("account", .string(answer.account)),
            ("message", .integer(UInt64(max(0, answer.leg)))), ("binding", .string(Self.word(answer.channelBinding))),
        ]
    }

    /// ` as 'NAME'`, for an account of the profile. One that a source gave has the name of its server.
    private static func named(_ account: String, _ rule: String = "") -> String {
        account.contains("://") ? "" : " as '\(account)'\(rule)"
    }

    private static func word(_ use: ChannelBindingUse) -> String {
        switch use {
        case .notApplicable: "not-applicable"
        case .bound: "bound"
        case .unbound: "unbound"
        }
    }

    private init(_ end: RequestEnd) {
        let word: String
        var text = "\(end)"
        var refusal: String?
        switch end.outcome {
        case .notChallenged: word = "not-challenged"
        case .accepted: word = "accepted"
        case .withheld(let reason, by: let party):
            (word, refusal) = ("withheld", reason.code)
            // The reason and the remedy stand in the outcome, which knows the whole offer.
            text =
                (reason.isOfParty ? "refused by " : "no answer to ") + (party == .proxy ? "the proxy" : "the server")
                + ": \(reason.code)"
        case .abandoned: word = "abandoned"
        }
        self.init(topic: "end", text: text)
        members = [("outcome", .string(word)), ("refusal", JSONValue(refusal))]
    }
}
