internal import ArgumentParser
internal import Foundation
internal import NTLM
internal import Secrets
internal import WireFormat

/// `sallyport ntlm respond`: answers a CHALLENGE.
struct NTLMRespondCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "respond",
        abstract: "Answers a CHALLENGE.",
        discussion: """
            Reads the password from standard input; at a terminal it asks for it without echo. Prints one JSON object with \
            the AUTHENTICATE and the keys of the session. Keep the output secret, because the keys sign and decrypt that \
            session. Exit status 1: the CHALLENGE is refused; the error line gives the reason.
            """
    )

    @Option(help: "The server's CHALLENGE in base64, with or without its scheme.")
    var challenge: String

    @Option(help: "The NEGOTIATE that was sent, because the integrity code covers it; by default that of Sallyport.")
    var negotiate: String?

    @Option(help: "The user; without --domain also DOMAIN\\user or user@realm.")
    var user: String

    @Option(help: "The NetBIOS or DNS domain; empty for a local account.")
    var domain: String?

    @Option(help: "The service name (SPN), such as HTTP/wiki.acme.example.")
    var spn: String?

    @Option(
        name: .customLong("channel-binding"),
        help: ArgumentHelp(
            "The binding to the TLS connection, in hexadecimal: the hash of the server's certificate (28, 32, 48 or 64 "
                + "bytes), application data with a prefix such as tls-server-end-point:, or the 16 bytes of "
                + "MsvAvChannelBindings."
        )
    )
    var channelBinding: String?

    @Option(help: "The name of this computer; not sent by default.")
    var workstation: String?

    @Flag(name: .customLong("nt-hash"), help: "Read an NT hash (32 hexadecimal digits) instead of a password.")
    var isHash = false

    @Option(name: .customLong("client-challenge"), help: "8 bytes in hexadecimal, for a reproducible answer.")
    var clientChallenge: String?

    @Option(help: "Our time as FILETIME, 100-nanosecond steps since 1601; by default the system's time.")
    var timestamp: UInt64?

    @Option(name: .customLong("session-key"), help: "16 bytes in hexadecimal, for a reproducible answer.")
    var sessionKey: String?

    func run() throws {
        let inputs: Inputs
        do { inputs = try Inputs(self) } catch {
            throw NTLMCommand.end("respond", "\(error)", with: CommandExit.couldNotRun)
        }
        var handshake = ClientHandshake(account: inputs.account, options: inputs.options)
        let negotiate = inputs.negotiate ?? handshake.negotiate()
        handshake.resume(afterNegotiate: negotiate)
        let authenticate: [UInt8]
        do {
            authenticate = try handshake.authenticate(
                challenge: inputs.challenge.span,
                now: inputs.now,
                nonces: inputs.nonces
            )
        } catch {
            throw NTLMCommand.end("respond", "\(error)", with: Self.status(of: error))
        }
        guard let keys = handshake.sessionKeys else {
            throw NTLMCommand.end("respond", "the handshake has no session keys", with: CommandExit.couldNotRun)
        }
        try StandardOutput.write(NTLMResponseJSON.text(authenticate, keys: keys) + "\n")
    }

    /// 2 for a CHALLENGE that cannot be read, 1 for one that is read and refused.
    private static func status(of error: HandshakeError) -> ExitCode {
        switch error {
        case .message, .wrongStep: CommandExit.couldNotRun
        case .unicodeMissing, .downgrade, .staleTimestamp, .domainRequired: CommandExit.answerWasNo
        }
    }
}

extension NTLMRespondCommand {
    /// The checked options. The secret is read last, after all other checks.
    struct Inputs {
        let challenge: [UInt8]
        let negotiate: [UInt8]?
        let options: ClientHandshake.Options
        let now: FileTime
        let nonces: ClientNonces?
        let account: NTLMAccount

        init(_ command: NTLMRespondCommand) throws {
            challenge = try named("--challenge") {
                let bytes = try NTLMText(parsing: command.challenge).bytes
                _ = try ChallengeMessage(parsing: bytes.span)
                return bytes
            }
            negotiate = try command.negotiate.map { text in
                try named("--negotiate") {
                    let bytes = try NTLMText(parsing: text).bytes
                    _ = try NegotiateMessage(parsing: bytes.span)
                    return bytes
                }
            }
            options = ClientHandshake.Options(
                targetName: command.spn,
                channelBindings: try command.channelBinding.map { text in
                    try named("--channel-binding") { try Self.bindings(text) }
                },
                workstation: command.workstation
            )
            now = command.timestamp.map { FileTime(rawValue: $0) } ?? Self.now
            nonces = try Self.nonces(command)
            let hash = try Self.hash(command)
            if let domain = command.domain {
                account = try NTLMAccount(user: command.user, domain: domain, hash: hash)
            } else {
                account = try NTLMAccount(parsing: command.user, hash: hash)
            }
        }

        private static var now: FileTime {
            let (seconds, nanoseconds) = SystemClock.unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            return FileTime(unixSeconds: seconds, nanoseconds: Int32(nanoseconds))
        }

        private static func bindings(_ text: String) throws -> ChannelBindings {
            let bytes = try Hexadecimal.decode(text)
            if let bindings = ChannelBindings(digest: bytes.span) { return bindings }
            // A hash does not start with one of these by chance, because the shortest has 11 bytes.
            let prefixes = ["tls-server-end-point:", "tls-unique:", "tls-exporter:"]
            if prefixes.contains(where: { bytes.starts(with: $0.utf8) }) {
                return ChannelBindings(applicationData: bytes.span)
            }
            guard [28, 32, 48, 64].contains(bytes.count) else {
                throw UsageProblem(
                    text:
                        "\(bytes.count.counted("byte")): expected 16, 28, 32, 48 or 64 bytes, or data that starts with "
                        + "`tls-server-end-point:`, `tls-unique:` or `tls-exporter:`"
                )
            }
            return ChannelBindings(tlsServerEndPoint: bytes.span)
        }

        /// `nil` without both options; with one option the other value is random.
        private static func nonces(_ command: NTLMRespondCommand) throws -> ClientNonces? {
            guard command.clientChallenge != nil || command.sessionKey != nil else { return nil }
            var challenge = try named("--client-challenge") {
                try command.clientChallenge.map { try Hexadecimal.decode($0) } ?? random(8)
            }
            var key = try named("--session-key") {
                try command.sessionKey.map { try Hexadecimal.decode($0) } ?? random(SessionKeys.byteCount)
            }
            defer {
                erase(&challenge)
                erase(&key)
            }
            guard challenge.count == 8 else {
                throw UsageProblem(text: "--client-challenge: \(challenge.count.counted("byte")); expected 8")
            }
            guard key.count == SessionKeys.byteCount else {
                throw UsageProblem(text: "--session-key: \(key.count.counted("byte")); expected 16")
            }
            return try ClientNonces(clientChallenge: challenge.span, exportedSessionKey: key.span)
        }

        private static func random(_ count: Int) -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in generator.next() }
        }

        private static func hash(_ command: NTLMRespondCommand) throws -> NTHash {
            let name = command.domain.map { "\($0)\\\(command.user)" } ?? command.user
            let what = command.isHash ? "NT hash" : "Password"
            let secret = try SecretInput.read(prompt: "\(what) of \(name.debugDescription): ")
            return try secret.withBytes { bytes in
                guard command.isHash else { return try NTHash(utf8: bytes) }
                guard var hash = HashDigits.bytes(bytes) else {
                    throw UsageProblem(text: "standard input: not an NT hash; expected 32 hexadecimal digits")
                }
                defer { erase(&hash) }
                return try NTHash(hash: hash.span)
            }
        }
    }
}

/// An error in the arguments or the input, in one line.
struct UsageProblem: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}

/// Adds the option's name to the errors of `body`.
private func named<Value>(_ option: String, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch { throw UsageProblem(text: "\(option): \(error)") }
}
