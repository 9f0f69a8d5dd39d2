public import HTTPAuthentication
internal import NTLM
internal import Negotiate

/// Why a party and one of the account's schemes did not come together.
public struct SchemeFailure: Equatable, Sendable {
    /// The scheme that did not answer.
    public let scheme: AuthenticationScheme
    /// Why it could not answer, with a remedy.
    public let reason: Refusal
}

extension Refusal {
    /// What is left to say after a party has declined schemes, and `last` ended the request.
    ///
    /// A refusal of the secret itself stands first: it is what has to be mended, and programs ask for another password then.
    static func schemesFailed(account: String, _ declined: [SchemeFailure], last: Refusal) -> Refusal {
        var failures = declined
        switch last {
        case .schemesFailed: return last
        case .noSupportedScheme: break
        case .cleartext(_, let scheme), .connectionShared(let scheme), .proxyWithoutSessions(let scheme):
            failures.append(SchemeFailure(scheme: scheme, reason: last))
        default: return last
        }
        return failures.count == 1 ? failures[0].reason : .schemesFailed(account: account, failures)
    }
}

/// The schemes of an account that may follow one that has failed before anything that depends on the secret has left.
enum SchemeSuccessor {
    /// Each that is not weaker than what the party has accepted before: the party does not take the scheme, or we cannot begin it.
    case any
    /// Those that are not weaker than the failed one: its challenge is read before anything was sent, so that weaker offers beside it are
    /// void.
    case notWeaker
    /// None: the account, the request or the host must be mended, or somebody may have changed what the party sent.
    case none
}

extension ExchangeFailure {
    /// The schemes that may follow after this failure, if nothing that depends on the secret has left.
    ///
    /// Somebody on the path of plain http can send rubbish as well as an offer without a token. Both lead on alike, and the handler keeps
    /// the party above the strength that it has accepted.
    ///
    /// - Parameter isConnectionBound: whether the scheme that has failed authenticates the connection, by a handshake.
    func successor(isConnectionBound: Bool) -> SchemeSuccessor {
        switch self {
        case .handshakeLost, .notOffered, .needNotMet, .needFailed: .any
        // A name with a colon and a password with a control character have no form in Basic; a hash of them has one.
        case .userNotRepresentable, .passwordNotRepresentable: .any
        // A handshake's message. Its first offer has none that could be strong or weak, unlike a challenge of Digest.
        case .malformedChallenge, .unreadable: isConnectionBound ? .any : .notWeaker
        case .handshake(let error): error.successor
        case .negotiation(let error): error.successor
        case .unsupported, .qopMissing, .tooWeak, .bodyNotAvailable, .missingParameter, .lostBytes: .notWeaker
        // Another name is asked for, with which this scheme answers.
        case .domainRequired: .none
        // The request begins once more on another connection, with the same schemes.
        case .connectionCloses, .connectionChanged, .closedInHandshake: .none
        // The request itself cannot be sent, whatever the scheme.
        case .targetNotRepresentable: .none
        // They follow an answer that depends on the secret, or the KDC has refused the password that a weaker scheme would send.
        case .refused, .nonceExhausted, .partyNotAuthenticated, .proofMissing, .proofNotVerifiable, .proofOfAnother,
            .unreadableProof, .weakened, .staleAgain:
            .none
        // An error of the host.
        case .outOfOrder: .none
        }
    }
}

extension HandshakeError {
    fileprivate var successor: SchemeSuccessor {
        switch self {
        // Devices of the time before NTLMv2 send such flags, and offer Digest or Basic beside NTLM.
        case .message, .unicodeMissing, .downgrade: .any
        // The CHALLENGE may be an old one that an attacker replays. The clocks are to be set, or the attack is to be heard of.
        case .staleTimestamp: .none
        case .domainRequired, .wrongStep: .none
        }
    }
}

extension NegotiationError {
    fileprivate var successor: SchemeSuccessor {
        switch self {
        case .tooLong, .truncated, .unexpectedElement, .malformedLength, .malformedValue, .trailingBytes,
            .tooManyMechanisms, .unknownToken:
            .any
        // The party ends the negotiation, or does not go on with it.
        case .rejected, .noCommonMechanism, .tokenMissing, .unexpectedToken, .mechanismFailed, .unfinished,
            .tooManyTokens:
            .any
        // Somebody may have changed the list of mechanisms. No honest party sends this, so it is an error that the user sees.
        case .mechanismNotOffered, .mechanismChanged, .integrityCodeMissing, .integrityCodeWrong: .none
        // The proof is demanded of the party's last response.
        case .serverNotProven: .none
        case .wrongStep: .none
        }
    }
}
