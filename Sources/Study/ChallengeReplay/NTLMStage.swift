internal import ChallengeHandling
internal import HTTPAuthentication
internal import Hostnames
internal import NTLM
internal import WireFormat

/// The NTLM step of a response with a CHALLENGE, to time it alone.
struct NTLMStage {
    private let handshake: ClientHandshake
    private let challenge: [UInt8]
    private let time: FileTime

    /// `nil` if the response has no CHALLENGE, or the profile has no account for it.
    init?(response: PreparedResponse, request: ChallengedRequest, handler: ChallengeHandler) {
        let offer = OfferedChallenges(by: request.party, in: response.fields)
        guard let token = offer.firstChallenge(of: .ntlm)?.token68, let message = try? Base64.decode(token),
            let account = handler.ntlmAccount(for: request)
        else { return nil }
        var options = ClientHandshake.Options()
        options.targetName = "HTTP/\(request.origin.host)"
        var handshake = ClientHandshake(account: account, options: options)
        _ = handshake.negotiate()
        self.handshake = handshake
        challenge = message
        time = response.nonces.time
    }

    func run() -> Bool {
        var copy = handshake
        return (try? copy.authenticate(challenge: challenge.span, now: time)) != nil
    }
}
