internal import ArgumentParser
internal import BenchmarkSupport
internal import NTLM
internal import Negotiate
internal import PeerComparison

/// SPNEGO's frames, and NTLM with and without them: prints the lines of a measurement file.
struct CompareNegotiate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "negotiate",
        abstract: "Measures SPNEGO's frames, and NTLM with and without them, in one run."
    )

    @Flag(help: "Fewer rounds.")
    var quick = false

    /// The bytes of the token inside a frame, about a ticket of Kerberos.
    private static let size = 2_048
    private static let repetitions = 100

    func run() throws {
        let writer = MeasurementFileWriter(isQuick: quick)
        try measureFrames(writer)
        try measureLogOns(writer)
    }

    private func measureFrames(_ writer: MeasurementFileWriter) throws {
        let inner = [UInt8](repeating: 7, count: Self.size)
        let list = MechanismList([.kerberos, .ntlm])
        let bytes = ResponseMessage.bytes(.init(.completed, mechanism: .kerberos, token: inner))
        guard try ResponseMessage(of: bytes.span).token?.count == Self.size else {
            throw ValidationError("the token is another one")
        }
        measure(writer, "SPNEGO: write the first token of 2 KB in base64") {
            InitialMessage.base64(list, token: inner.span, prefix: "Negotiate ").utf8.count
        }
        measure(writer, "SPNEGO: write the first token of 2 KB") {
            InitialMessage.bytes(list, token: inner.span).count
        }
        measure(writer, "SPNEGO: read the last token of 2 KB") {
            (try? ResponseMessage(of: bytes.span))?.token?.count ?? 0
        }
    }

    /// The client's side of a log-on, from its first message to its last, with the frames' code over the list.
    private func measureLogOns(_ writer: MeasurementFileWriter) throws {
        let fixture = try NTLMFixture()
        let (account, options) = (fixture.account, fixture.clientOptions)
        let challenge = ResponseMessage.bytes(.init(.incomplete, mechanism: .ntlm, token: fixture.challenge))
        let input = MechanismInput(now: fixture.now)
        measure(writer, "NTLM: a client's log-on, bare") {
            var client = ClientHandshake(account: account, options: options)
            _ = client.negotiate()
            let text = try? client.authenticateBase64(
                challenge: fixture.challenge.span,
                now: fixture.now,
                prefix: "NTLM "
            )
            return text?.utf8.count ?? 0
        }
        measure(writer, "NTLM: a client's log-on, in Negotiate") {
            var client = ClientNegotiation(ntlm: NTLMInitiator(account: account, options: options))
            _ = client.start()
            guard case .send(let value)? = try? client.received(challenge.span, isFinal: false, input) else { return 0 }
            return value.utf8.count
        }
    }

    private func measure(_ writer: MeasurementFileWriter, _ operation: String, _ body: () -> Int) {
        precondition(body() > 0, "\(operation) has no result")
        writer.measure(operation, per: Self.repetitions) {
            var sum: UInt64 = 0
            for _ in 0..<Self.repetitions { sum &+= UInt64(body()) }
            return sum
        }
    }
}
