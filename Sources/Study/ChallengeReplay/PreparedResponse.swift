internal import ChallengeHandling
internal import Corpora
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import NTLM
internal import WireFormat

/// A recorded response in the types of the handler. A class, as the event is.
final class PreparedResponse: Sendable {
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

    /// What makes two responses belong to one request.
    struct Route: Equatable, Sendable {
        let origin: Origin
        let method: String
        let target: String
        let route: RequestRoute
    }

    /// The party whose answer follows.
    var challenger: ChallengedParty { status == ChallengedParty.proxy.status ? .proxy : .origin }

    init(
        _ response: RecordedResponse,
        of event: RecordedEvent,
        origin: Origin,
        _ certificates: [String: [UInt8]]
    ) throws {
        let leaf = response.chain.first.flatMap { certificates[$0] }
        var fields = HTTPFields()
        for pair in response.fields {
            guard let name = HTTPField.Name(pair[0]) else { throw NotAFieldName(text: pair[0]) }
            fields.append(HTTPField(name: name, value: pair[1]))
        }
        let proxy = try response.via.map { try Origin(parsing: $0) }
        let isTunnel = response.method == "CONNECT"
        let prefix = event.origin
        let target =
            response.target.hasPrefix(prefix) ? String(response.target.dropFirst(prefix.count)) : response.target
        originRequest = ChallengedRequest(
            origin: origin,
            method: response.method,
            target: response.target,
            serverCertificate: leaf
        )
        proxyRequest = proxy.map { ChallengedRequest(proxy: $0, method: response.method, target: response.target) }
        let body: OutgoingRequest.Body = response.bodyOnce == true ? .once : .none
        isProxyOnly = response.proxyOnly ?? false
        outgoing =
            isProxyOnly
            ? .toBeRelayed(origin: origin, method: response.method, target: target, body: body)
            : OutgoingRequest(origin: origin, method: response.method, target: target, body: body)
        route = Route(
            origin: origin,
            method: response.method,
            target: response.target,
            route: proxy.map { isTunnel ? .connect(to: $0) : .forwarded(by: $0) } ?? .direct
        )
        connection = try Self.connection(of: response, event, leaf: leaf, origin)
        status = response.status
        self.fields = fields
        nonces = try Self.nonces(of: response.answer?.nonces, at: event.unixMicroseconds)
        isInAdvance = response.inAdvance ?? false
        bodyWasSent = response.bodySent ?? true
    }

    private static func connection(
        of response: RecordedResponse,
        _ event: RecordedEvent,
        leaf: [UInt8]?,
        _ origin: Origin
    ) throws -> ConnectionTraits {
        let security: ConnectionTraits.Security?
        if response.profile == nil {
            // A connection without TLS has no leaf. A recording that is made by hand has no leaf either.
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

private struct NotAFieldName: Error, CustomStringConvertible {
    let text: String

    var description: String { "\(text.debugDescription) is not the name of a header field: correct the recording" }
}

private struct NotASecurity: Error, CustomStringConvertible {
    let word: String

    var description: String { "\(word.debugDescription) is no state of TLS: correct the transcript" }
}
