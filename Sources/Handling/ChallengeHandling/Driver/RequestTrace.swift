internal import HTTPAuthentication
internal import HTTPTypes

/// Reports the events of one request.
///
/// `@unchecked Sendable` is safe, because one ``RequestAuthentication`` owns it, and that cannot be copied.
final class RequestTrace: @unchecked Sendable {
    private let observer: EventObserver
    private let number: UInt64
    private let request: RequestStart
    /// When the request began; `nil` before.
    private var start: Int64?
    private var hasEnded = false
    /// The status of the last response.
    private var status: Int?
    /// The last response that may need an explanation; `nil` after it was given.
    private(set) var unexplained: Received?
    private var legs: [ChallengedParty: Int] = [:]

    /// A response whose decision begins an exchange.
    struct Received {
        let party: ChallengedParty
        let fields: HTTPFields
        let connection: ConnectionTraits
    }

    init(_ observer: EventObserver, _ request: RequestStart) {
        self.observer = observer
        self.request = request
        number = observer.takeRequestNumber()
    }

    deinit {
        if start != nil, !hasEnded { end(.abandoned) }
    }

    func begin() {
        guard start == nil else { return }
        start = observer.now
        emit(.started(request))
    }

    /// Records a response.
    ///
    /// - Parameters:
    ///   - challenger: the party that challenges with it, if any.
    ///   - isContinued: whether that party's exchange goes on.
    func received(
        status: Int,
        fields: HTTPFields,
        on connection: ConnectionTraits,
        bodyWasSent: Bool,
        challenger: ChallengedParty?,
        isContinued: Bool
    ) {
        self.status = status
        unexplained = nil
        if let challenger, !isContinued {
            unexplained = Received(party: challenger, fields: fields, connection: connection)
        }
        let offer = challenger.map { OfferedChallenges(by: $0, in: fields) }
        emit(
            .response(
                ResponseSeen(
                    status: status,
                    bodyWasSent: bodyWasSent,
                    challenger: challenger,
                    offers: offer?.schemes ?? [],
                    unreadableLines: offer?.unreadable.count ?? 0,
                    connection: ConnectionSeen(connection),
                    fields: fields.relevant(to: challenger)
                )
            )
        )
    }

    func selected(_ selection: SchemeSelection) {
        unexplained = nil
        emit(.selection(selection))
    }

    func answered(_ party: ChallengedParty, _ sent: SentAnswer) {
        legs[party, default: 0] += 1
        emit(
            .answered(
                AnswerSent(
                    party: party,
                    scheme: sent.scheme,
                    account: sent.account,
                    leg: legs[party, default: 1],
                    isInAdvance: sent.isInAdvance,
                    sameConnection: sent.sameConnection,
                    channelBinding: sent.channelBinding
                )
            )
        )
    }

    func emit(_ content: AuthenticationEvent.Content) { observer.emit(content, of: number) }

    func end(_ outcome: RequestEnd.Outcome) {
        guard !hasEnded else { return }
        hasEnded = true
        let now = observer.now
        let duration = Duration.microseconds(max(0, now - (start ?? now)))
        emit(.ended(RequestEnd(outcome: outcome, status: status, duration: duration)))
    }
}

/// An answer that a send carries, without its value.
struct SentAnswer {
    let scheme: AuthenticationScheme
    let account: String
    let isInAdvance: Bool
    let sameConnection: Bool
    let channelBinding: ChannelBindingUse
}

extension ConnectionSeen {
    init(_ traits: ConnectionTraits) {
        let security: Security?
        switch traits.security {
        case ConnectionTraits.Security.none?: security = Security.none
        case .unknownLeaf?: security = .unknownLeaf
        case .leaf(let leaf)?:
            do throws(ChannelBindingUse.Gap) {
                _ = try ServerEndPoint.binding(certificate: leaf)
                security = .leaf(nil)
            } catch {
                security = .leaf(error)
            }
        case nil: security = nil
        }
        self.init(
            id: traits.id,
            canPin: traits.canPin,
            security: security,
            followsLostHandshake: traits.followsLostHandshake
        )
    }
}

extension HTTPFields {
    /// The fields that decisions depend on. Only a response with the status of a challenge keeps its challenges: those of other responses,
    /// and the fields with which a server proves itself, may depend on the password. The field of a proof is kept without its value,
    /// because a replay must know that it came.
    fileprivate func relevant(to challenger: ChallengedParty?) -> HTTPFields {
        var kept = HTTPFields()
        for field in self {
            switch field.name.canonicalName {
            case "connection", "proxy-connection", "proxy-support": kept.append(field)
            case "authentication-info", "proxy-authentication-info":
                kept.append(HTTPField(name: field.name, value: ""))
            case "www-authenticate" where challenger == .origin: kept.append(field)
            case "proxy-authenticate" where challenger == .proxy: kept.append(field)
            default: break
            }
        }
        return kept
    }
}
