internal import ChallengeHandling
internal import Corpora
internal import Foundation
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import ProfileFiles
internal import SPKIPins

/// The inputs of the handler's operations: the profile that ships, and one event of each kind from its recording.
struct HandlerFixture: Sendable {
    let profile: SecurityProfile
    /// Stands still, so that a proven password stays fresh and every run makes the same decisions.
    let clock = ManualClock()
    let handler: ChallengeHandler
    let basic: Challenged
    let digest: Challenged
    let negotiate: Challenged
    let denied: Challenged
    /// A chain of three whose leaf is pinned.
    let pinnedHost: Hostname
    let pinnedChain: [[UInt8]]
    let now: Int64

    /// The chain as a TLS library passes it.
    let trust: ServerTrust

    /// A request and the fields of its 401 response.
    struct Challenged: Sendable {
        let request: ChallengedRequest
        let fields: HTTPFields
    }

    /// Read once, because the plugin makes all operations anew in a process of each benchmark, and reading costs most of that.
    static let recording = Result { try ShippedRecording.corporateDay.load() }

    init() throws {
        let recording = try Self.recording.get()
        var profile = try ProfileReader.read(recording.profile)
        // The operations measure decisions without the hash of a certificate.
        for index in profile.accounts.indices { profile.accounts[index].allowsUnbound = true }
        self.profile = profile
        now = (recording.events.first?.unixMicroseconds ?? 0) / 1_000_000
        handler = ChallengeHandler(try CompiledProfile(profile, at: now), clock: clock)
        basic = try Self.challenged("basic", in: recording)
        digest = try Self.challenged("digest-sha256", in: recording)
        negotiate = try Self.challenged("ntlm-401", in: recording)
        denied = try Self.challenged("site-not-allowed", in: recording)
        let pinned = recording.events.first { $0.kind == "pin-leaf" && $0.leg == 0 }
        guard let pinned, case .handshake(let handshake) = pinned.content, let hashes = handshake.validated else {
            throw FixtureMissing(kind: "pin-leaf")
        }
        pinnedHost = try Origin(parsing: pinned.origin).host
        pinnedChain = hashes.compactMap { recording.certificates[$0] }
        trust = ServerTrust(host: pinnedHost, chain: try ValidatedChain(assertingValidated: pinnedChain))
        // An unproven password has one attempt at a time, and a dropped one delays the next.
        for challenged in [basic, digest] {
            var exchange = handler.exchange(for: challenged.request)
            _ = exchange.received(status: 401, fields: challenged.fields)
            precondition(exchange.received(status: 200, fields: [:]) == .accepted, "the fixture proves no password")
        }
    }

    struct FixtureMissing: Error {
        let kind: String
    }

    private static func challenged(_ kind: String, in recording: ChallengeRecording) throws -> Challenged {
        for event in recording.events where event.kind == kind {
            guard case .response(let response) = event.content, response.status == 401 else { continue }
            var fields = HTTPFields()
            for pair in response.fields {
                if let name = HTTPField.Name(pair[0]) { fields.append(HTTPField(name: name, value: pair[1])) }
            }
            let request = ChallengedRequest(
                origin: try Origin(parsing: event.origin),
                method: response.method,
                target: response.target
            )
            return Challenged(request: request, fields: fields)
        }
        throw FixtureMissing(kind: kind)
    }
}
