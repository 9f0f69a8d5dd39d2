internal import BenchmarkSupport
internal import NTLM
internal import Negotiate
internal import PeerComparison

/// SPNEGO's frames around a token of 2 KB, about a ticket of Kerberos, and a client's log-on with NTLM in such frames.
enum NegotiateOperations {
    private static let size = 2_048

    static func all() throws -> [HotOperation] {
        let inner = [UInt8](repeating: 7, count: size)
        let list = MechanismList([.kerberos, .ntlm])
        let response = ResponseMessage.bytes(.init(.completed, mechanism: .kerberos, token: inner))
        let read = try ResponseMessage(of: response.span)
        precondition(read.token.map { Array(response[$0]) } == inner, "another token is read than was written")
        return [
            operation("InitialMessage.bytes/token=\(size)") { InitialMessage.bytes(list, token: inner.span).count },
            operation("InitialMessage.base64/token=\(size)") {
                InitialMessage.base64(list, token: inner.span, prefix: "Negotiate ").utf8.count
            },
            operation("ResponseMessage.init/token=\(size)") {
                (try? ResponseMessage(of: response.span))?.token?.count ?? 0
            },
            try logOn(),
        ]
    }

    /// NTLM in SPNEGO from the first message to the last, measured by the same without SPNEGO.
    private static func logOn() throws -> HotOperation {
        let fixture = try NTLMFixture(now: HotOperation.now)
        let response = ResponseMessage.bytes(.init(.incomplete, mechanism: .ntlm, token: fixture.challenge))
        let (account, options) = (fixture.account, fixture.clientOptions)
        let input = MechanismInput(now: fixture.now)
        func framed() -> Int {
            var client = ClientNegotiation(ntlm: NTLMInitiator(account: account, options: options))
            _ = client.start()
            guard case .send(let value)? = try? client.received(response.span, isFinal: false, input) else { return 0 }
            return value.utf8.count
        }
        precondition(framed() > fixture.authenticate.count, "a log-on in SPNEGO has no result")
        let name = "ClientNegotiation.received/challenge=\(fixture.challenge.count)"
        return operation(name, per: .engines { bareLogOns(fixture) }, perform: framed)
    }

    private static func bareLogOns(_ fixture: NTLMFixture) -> MeasuredImplementation {
        MeasuredImplementation("engines", "engines") { count in
            var sum = 0
            for _ in 0..<count { sum &+= bareLogOn(fixture) }
            return sum
        }
    }

    private static func bareLogOn(_ fixture: NTLMFixture) -> Int {
        var client = fixture.client()
        let text = try? client.authenticateBase64(
            challenge: fixture.challenge.span,
            now: fixture.now,
            prefix: "NTLM "
        )
        return text?.utf8.count ?? 0
    }

    private static func operation(
        _ name: String,
        per yardstick: Yardstick = .wide,
        perform: @escaping () -> Int
    ) -> HotOperation {
        let implementation = MeasuredImplementation(HotOperation.ours, name) { count in
            var sum = 0
            for _ in 0..<count { sum &+= perform() }
            return sum
        }
        return HotOperation(.ntlm, implementation, per: yardstick)
    }
}
