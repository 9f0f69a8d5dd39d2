package import ChallengeHandling
internal import Corpora
internal import Credentials
internal import Foundation
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import NTLM
internal import Secrets
internal import WireFormat

/// A recorded event in the types of the handler, made before the clock starts.
struct PreparedEvent: Sendable {
    struct Handshake: Sendable {
        let origin: Origin
        /// DER, leaf to anchor; `nil` if the chain was not valid.
        let validated: [[UInt8]]?
        /// DER Names; `nil` if the server did not ask for a certificate.
        let authorities: [[UInt8]]?
    }

    struct Response: Sendable {
        let originRequest: ChallengedRequest
        let proxyRequest: ChallengedRequest?
        let outgoing: OutgoingRequest
        let route: Route
        let connection: ConnectionTraits
        let status: Int
        let fields: HTTPFields
        let nonces: ExchangeNonces
        /// Whether the request began with an answer in advance.
        let isInAdvance: Bool
        /// Whether only the proxy is answered.
        let isProxyOnly: Bool
        let bodyWasSent: Bool

        /// The party whose answer follows.
        var challenger: ChallengedParty { status == ChallengedParty.proxy.status ? .proxy : .origin }
    }

    /// What makes two responses belong to one request.
    struct Route: Equatable, Sendable {
        let origin: Origin
        let method: String
        let target: String
        let route: RequestRoute
    }

    struct NewPassword: Sendable {
        let account: String
        let password: SharedSecret
    }

    enum Content: Sendable {
        case handshake(Handshake)
        case response(Response)
        case password(NewPassword)
        case profile(RecordedProfile)
        case forgiven(account: String)
    }

    let recorded: RecordedEvent
    let content: Content

    /// Whether a decision is made about it, or it stands in the report.
    var isObserved: Bool {
        switch content {
        case .handshake, .response, .password: true
        case .profile, .forgiven: false
        }
    }

    var unixSeconds: Int64 { recorded.unixMicroseconds / 1_000_000 }

    init(_ event: RecordedEvent, of recording: ChallengeRecording) throws(ReplayError) {
        let certificates = recording.certificates
        recorded = event
        do {
            switch event.content {
            case .profile(let profile):
                content = .profile(profile)
                return
            case .forgiven(let account):
                content = .forgiven(account: account)
                return
            case .handshake, .response, .password: break
            }
            let origin = try Origin(parsing: event.origin)
            switch event.content {
            case .profile, .forgiven: preconditionFailure("they have no origin, and were prepared above")
            case .handshake(let handshake):
                content = .handshake(
                    Handshake(
                        origin: origin,
                        validated: handshake.validated.map { chain in chain.compactMap { certificates[$0] } },
                        authorities: try handshake.certificateRequest?.authorities.map { try Base64.decode($0) }
                    )
                )
            case .password(let new):
                let path = recording.folder.appending(path: "secrets").appending(path: new.secret).path
                content = .password(
                    NewPassword(account: new.account, password: try SecretReference.file(path: path).load())
                )
            case .response(let response):
                content = .response(try Self.prepare(response, of: event, origin: origin, certificates))
            }
        } catch {
            throw ReplayError.event(exchange: event.exchange, leg: event.leg, problem: "\(error)")
        }
    }

    private static func prepare(
        _ response: RecordedResponse,
        of event: RecordedEvent,
        origin: Origin,
        _ certificates: [String: [UInt8]]
    ) throws -> Response {
        let leaf = response.chain.first.flatMap { certificates[$0] }
        var fields = HTTPFields()
        for pair in response.fields {
            guard let name = HTTPField.Name(pair[0]) else { throw NotAFieldName(text: pair[0]) }
            fields.append(HTTPField(name: name, value: pair[1]))
        }
        let proxy = try response.via.map { try Origin(parsing: $0) }
        let isTunnel = response.method == "CONNECT"
        let route: RequestRoute = proxy.map { isTunnel ? .connect(to: $0) : .forwarded(by: $0) } ?? .direct
        let prefix = event.origin
        let target =
            response.target.hasPrefix(prefix) ? String(response.target.dropFirst(prefix.count)) : response.target
        return Response(
            originRequest: ChallengedRequest(
                origin: origin,
                method: response.method,
                target: response.target,
                serverCertificate: leaf
            ),
            proxyRequest: proxy.map {
                ChallengedRequest(proxy: $0, method: response.method, target: response.target)
            },
            outgoing: OutgoingRequest(
                origin: origin,
                method: response.method,
                target: target,
                body: response.bodyOnce == true ? .once : .none
            ),
            route: Route(origin: origin, method: response.method, target: response.target, route: route),
            // Without TLS there is no leaf; a recording made by hand has none either.
            connection: try connection(of: response, event, leaf: leaf, origin),
            status: response.status,
            fields: fields,
            nonces: try nonces(of: response.answer?.nonces, at: event.unixMicroseconds),
            isInAdvance: response.inAdvance ?? false,
            isProxyOnly: response.proxyOnly ?? false,
            bodyWasSent: response.bodySent ?? true
        )
    }

    private static func connection(
        of response: RecordedResponse,
        _ event: RecordedEvent,
        leaf: [UInt8]?,
        _ origin: Origin
    ) throws -> ConnectionTraits {
        let security: ConnectionTraits.Security?
        if response.profile == nil {
            // Without TLS there is no leaf; a recording that is made by hand has none either.
            let withoutLeaf: ConnectionTraits.Security = origin.scheme == .https ? .unknownLeaf : .none
            security = leaf.map { ConnectionTraits.Security.leaf($0) } ?? withoutLeaf
        } else if let word = response.security {
            guard let found = PlaceholderLeaf.security(word) else { throw NotASecurity(word: word) }
            security = found
        } else {
            security = nil
        }
        var traits = ConnectionTraits(
            id: UInt64(exactly: event.connection),
            canPin: response.canPin ?? (response.http ?? 1 == 1),
            security: security
        )
        traits.followsLostHandshake = response.lostHandshake ?? false
        return traits
    }

    private struct NotAFieldName: Error, CustomStringConvertible {
        let text: String

        var description: String { "\(text.debugDescription) is not the name of a header field: correct the recording" }
    }

    private struct NotASecurity: Error, CustomStringConvertible {
        let word: String

        var description: String { "\(word.debugDescription) is no state of TLS: correct the transcript" }
    }

    /// The random numbers and the time of the recorded answer; the time of the event if the answer has none.
    private static func nonces(
        of recorded: RecordedResponse.Nonces?,
        at unixMicroseconds: Int64
    ) throws -> ExchangeNonces {
        let stamped = recorded?.timestamp.flatMap { UInt64($0) }.map { FileTime(rawValue: $0) }
        let ntlm = try recorded?.clientChallenge.map { challenge in
            let drawn = try Hexadecimal.decode(challenge)
            // Without a key exchange the client draws no key, so the zeros are not used.
            let key =
                try recorded?.exportedSessionKey.map { try Hexadecimal.decode($0) } ?? [UInt8](repeating: 0, count: 16)
            return try ClientNonces(clientChallenge: drawn.span, exportedSessionKey: key.span)
        }
        return ExchangeNonces(
            ntlm: ntlm,
            digestClientNonce: recorded?.cnonce,
            time: stamped ?? FileTime(unixSeconds: unixMicroseconds / 1_000_000)
        )
    }
}

/// Why a recording cannot be replayed.
package enum ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// An event of the recording cannot be read.
    case event(exchange: Int, leg: Int, problem: String)
    /// The profile cannot be used.
    case profile(ProfileError)
    /// The transcript cannot be replayed.
    case transcript(String)

    /// One line: the place and the problem.
    package var description: String {
        switch self {
        case .event(let exchange, let leg, let problem): "exchange \(exchange), leg \(leg): \(problem)"
        case .profile(let error): "\(error)"
        case .transcript(let problem): "the transcript \(problem)"
        }
    }
}
