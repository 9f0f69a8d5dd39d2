internal import AllowedSites
internal import ChallengeHandling
internal import Credentials
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import PeerComparison
internal import RequestFlow
internal import Secrets

/// Whole requests of a relay at a proxy that has accepted the account before, without their sockets: from the description of the
/// request to the end of its flow.
enum FlowOperations {
    static func all() throws -> [HotOperation] {
        try proxy("basic", .basic) + proxy("digest-sha256", .digest)
    }

    private static func proxy(_ name: String, _ scheme: AuthenticationScheme) throws -> [HotOperation] {
        let origin = try Origin(parsing: "http://www.partner.example")
        let proxy = try Origin(parsing: "http://proxy.acme.example:8080")
        let handler = try handler(for: proxy, scheme)
        let challenge: HTTPFields = [
            .proxyAuthenticate: scheme == .basic
                ? "Basic realm=\"proxy\""
                : "Digest realm=\"proxy\", nonce=\"0a1b2c3d4e5f60718293a4b5\", qop=\"auth\", algorithm=SHA-256"
        ]
        let facts = FlowFacts(
            answersInAdvance: true,
            answersOrigin: false,
            placesToken: false,
            repeatsAnswers: false,
            mayBeRepeated: true,
            bodyBytes: 0,
            mostDroppedBytes: 65_536
        )
        // As a client of the relay asks: each time anew.
        let flow = {
            let target = "/reports/2026/q3.html?sheet=2"
            let request = OutgoingRequest.toBeRelayed(origin: origin, method: "GET", target: target, body: .none)
            return RequestFlow(handler, request, by: .forwarded(by: proxy), facts)
        }
        var first = flow()
        guard case .send = first.begin() else { preconditionFailure("\(name): the first request waits") }
        first.sendHasBegun()
        _ = first.received(FlowResponse(status: 407, fields: challenge, on: .http1, keepsConnection: true))
        guard case .send = first.dropped(.reusable) else { preconditionFailure("\(name) is not answered") }
        first.sendHasBegun()
        guard case .deliver(.accepted) = first.received(passed) else { preconditionFailure("\(name) is not accepted") }
        let implementation = MeasuredImplementation(HotOperation.ours, "RequestFlow.begin/proxy-\(name)") { count in
            var sum = 0
            for _ in 0..<count {
                var flow = flow()
                guard case .send(let sending) = flow.begin() else { preconditionFailure("\(name): it waits") }
                if sending.hasAnswer { sum &+= 1 }
                flow.sendHasBegun()
                guard case .deliver = flow.received(passed) else { preconditionFailure("\(name): it is not delivered") }
            }
            precondition(sum == count, "\(name) is not answered in advance")
            return sum
        }
        return [
            HotOperation(.sallyport, implementation, per: .wide, workload: 128),
            HotOperation(.sallyport, alone(name, proxy, handler), per: .wide, workload: 128),
        ]
    }

    /// The same requests as the relay sends them while the proxy challenges none: with the answer alone, without a flow.
    private static func alone(_ name: String, _ proxy: Origin, _ handler: ChallengeHandler) -> MeasuredImplementation {
        let anyRequest = ChallengedRequest(proxy: proxy, method: "CONNECT", target: "")
        let target = "http://www.partner.example/reports/2026/q3.html?sheet=2"
        return MeasuredImplementation(HotOperation.ours, "AdvanceAnswer.sending/proxy-\(name)") { count in
            var sum = 0
            for _ in 0..<count {
                guard let answer = handler.answerInAdvance(to: anyRequest, method: "GET", target: target) else {
                    preconditionFailure("\(name): it waits")
                }
                if answer.sending.readyLine != nil { sum &+= 1 }
                answer.sendHasBegun()
                let isAccepted = answer.isAccepted(status: 200, fields: [:], isPassedOn: true)
                precondition(isAccepted, "\(name) is not accepted")
            }
            return sum
        }
    }

    private static let passed = FlowResponse(status: 200, fields: [:], on: .http1, keepsConnection: true)

    private static func handler(for proxy: Origin, _ scheme: AuthenticationScheme) throws -> ChallengeHandler {
        let site = "\(proxy)"
        let password = SharedSecret(utf8: "Correct-Horse")
        let account = Account(name: "proxy", user: "jdoe", domain: nil, password: password)
        let assignment = AccountAssignment(account, sites: [site], schemes: [scheme], allowsCleartext: true)
        let sites = try SiteList(parsing: site, name: "proxy")
        let profile = SecurityProfile(sites: sites, schemes: [scheme], accounts: [assignment])
        return ChallengeHandler(try CompiledProfile(profile, at: 0), clock: ManualClock())
    }
}
