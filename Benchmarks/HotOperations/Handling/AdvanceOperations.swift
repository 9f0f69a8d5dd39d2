internal import AllowedSites
internal import ChallengeHandling
internal import Credentials
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import PeerComparison
internal import Secrets

/// Requests whose answers go out before any challenge: from the request to its field, and from its response to the lock-out budget.
enum AdvanceOperations {
    static func all() throws -> [HotOperation] {
        let fixture = try HandlerFixture()
        return [
            advance("basic", fixture, fixture.basic, per: .wide),
            advance("digest-sha256", fixture, fixture.digest, per: .engines { twoHashes() }),
        ] + (try token())
    }

    /// A request whose place has a token: it goes out with the first request, and the party takes it. Once by its driver, and once without, as
    /// the handler for SwiftNIO sends it.
    private static func token() throws -> [HotOperation] {
        let site = "https://api.acme.example"
        // As long as a token of an ArcGIS portal.
        let secret = SharedSecret(utf8: String(repeating: "aB3_", count: 60) + ".")
        let account = Account(name: "api", user: "api", domain: nil, credential: .token(secret))
        let assignment = AccountAssignment(account, sites: [site], schemes: [.bearer], sendsTokenFirst: true)
        let sites = try SiteList(parsing: site, name: "token")
        let profile = SecurityProfile(sites: sites, schemes: [.bearer], accounts: [assignment])
        let handler = ChallengeHandler(try CompiledProfile(profile, at: 0), clock: ManualClock())
        let target = "/rest/services/Parcels/MapServer?f=json"
        let request = OutgoingRequest(origin: try Origin(parsing: site), target: target)
        return [
            advance("token", handler, request, per: .wide),
            HotOperation(.sallyport, alone(handler, request), per: .wide, workload: 128),
        ]
    }

    private static func alone(_ handler: ChallengeHandler, _ request: OutgoingRequest) -> MeasuredImplementation {
        // The first request learns of the token.
        var first = handler.authentication(of: request)
        _ = first.begin()
        let target = request.target
        return MeasuredImplementation(HotOperation.ours, "AdvanceAnswer.sending/token") { count in
            var sum = 0
            for _ in 0..<count {
                guard let answer = handler.answerRepeated(to: request, target: target) else {
                    preconditionFailure("it waits")
                }
                if answer.sending.readyLine != nil { sum &+= 1 }
                answer.sendHasBegun()
                let isAccepted = answer.isAccepted(status: 200, fields: [:], isPassedOn: false)
                precondition(isAccepted, "it is not accepted")
            }
            return sum
        }
    }

    private static func advance(
        _ name: String,
        _ fixture: HandlerFixture,
        _ challenged: HandlerFixture.Challenged,
        per yardstick: Yardstick
    ) -> HotOperation {
        let handler = fixture.handler
        let request = OutgoingRequest(
            origin: challenged.request.origin,
            method: challenged.request.method,
            target: challenged.request.target
        )
        var first = handler.authentication(of: request)
        _ = first.begin()
        _ = first.received(status: 401, fields: challenged.fields)
        guard case .deliver(.accepted) = first.received(status: 200, fields: [:]) else {
            preconditionFailure("\(name) is not accepted")
        }
        return advance(name, handler, request, per: yardstick)
    }

    private static func advance(
        _ name: String,
        _ handler: ChallengeHandler,
        _ request: OutgoingRequest,
        per yardstick: Yardstick
    ) -> HotOperation {
        let implementation = MeasuredImplementation(HotOperation.ours, "RequestAuthentication.begin/\(name)") { count in
            var sum = 0
            for _ in 0..<count {
                var authentication = handler.authentication(of: request)
                guard case .send(let sending) = authentication.begin() else { preconditionFailure("it waits") }
                if case .some = sending.authorization { sum &+= 1 }
                guard case .deliver = authentication.received(status: 200, fields: [:]) else {
                    preconditionFailure("it is not delivered")
                }
            }
            precondition(sum == count, "\(name) is not answered in advance")
            return sum
        }
        return HotOperation(.sallyport, implementation, per: yardstick, workload: 128)
    }

    /// The hashes of A2 and of the whole answer (RFC 7616 section 3.4.1), of the sizes that the recorded request has.
    private static func twoHashes() -> MeasuredImplementation {
        let a2 = [UInt8](repeating: 0x61, count: 37)
        let message = [UInt8](repeating: 0x61, count: 64 + 1 + 73 + 1 + 8 + 1 + 32 + 1 + 4 + 1 + 64)
        return MeasuredImplementation("engines", "engines") { count in
            var sum = 0
            for _ in 0..<count {
                SecretDigest(sha256Of: a2.span).withBytes { sum &+= Int($0[0]) }
                SecretDigest(sha256Of: message.span).withBytes { sum &+= Int($0[0]) }
            }
            return sum
        }
    }
}
