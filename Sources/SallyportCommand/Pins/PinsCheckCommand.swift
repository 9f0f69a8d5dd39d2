internal import ArgumentParser
internal import Hostnames
internal import PinFormats
internal import SPKIPins

/// `sallyport pins check`: a validated chain held against a policy.
struct PinsCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Holds a validated chain against a policy.",
        discussion: """
            The chain must be what a TLS library validated, leaf first, anchor last: nothing is validated here. What a \
            server sends along can hold any certificate at all. Certificates are numbered from the leaf, which is 0. Exit \
            status 0: a pin matches; 1: any other verdict; 2: could not run, which is so too where no pin matches and a \
            certificate of the chain cannot be read.
            """
    )

    @Option(help: "The policy: a compiled image, or a file in one of the forms of 'pins convert'.")
    var policy: String

    @Option(
        help: "The policy's form, when it is no image: \(PinFormat.names); json when absent.",
        transform: PinFormat.named
    )
    var format: PinFormat?

    @Option(help: "The host that the connection was asked for.")
    var host: String

    @Option(help: "The time of the decision, such as 2036-01-01T00:00:00Z; now when absent.")
    var at: String?

    @Flag(help: "One JSON object.")
    var json = false

    @Argument(help: "The validated chain, PEM; '-' for standard input.")
    var chain: String

    private struct Answer: Encodable {
        let host: String
        let verdict: String
        let explanation: String
        let policyVersion: UInt64
        let pin: String?
        let certificate: Int?

        enum CodingKeys: String, CodingKey {
            case host, verdict, explanation, pin, certificate
            case policyVersion = "policy_version"
        }
    }

    func run() throws {
        let now = try PinsInput.time(at: at, "pins check")
        let policy = try load(at: now)
        let verdict = try decide(policy, at: now)
        var pin: Pin?
        var certificate: Int?
        let name: String
        switch verdict {
        case .matched(let match): (name, pin, certificate) = ("matched", match.pin, match.certificateIndex)
        case .forbiddenKey(let key): (name, pin, certificate) = ("forbidden", key.pin, key.certificateIndex)
        case .mismatched: name = "mismatched"
        case .reportOnlyMismatch: name = "report-only-mismatch"
        case .expiredPolicy: name = "expired"
        case .notPinned: name = "not-pinned"
        }
        if json {
            let answer = Answer(
                host: host,
                verdict: name,
                explanation: "\(verdict)",
                policyVersion: verdict.policyVersion,
                pin: pin.map { String($0.description.dropFirst("sha256/".count)) },
                certificate: certificate
            )
            try StandardOutput.write(PinsInput.line(answer))
        } else {
            // Its lines are its own; the names in them are the certificates'.
            try StandardOutput.write(verdict.explanation.withVisibleControls + "\n")
        }
        guard case .matched = verdict else { throw CommandExit.answerWasNo }
    }

    private func load(at now: Int64) throws -> PinPolicy {
        let bytes = try PinsInput.bytes(of: policy, "pins check")
        do {
            if PinsInput.isImage(bytes) { return try PinPolicy(image: bytes) }
            let document = try PinsInput.document(bytes, of: policy, format, host: host, now: now, "pins check")
            return try PinPolicy(compiling: document.entries, version: 0, at: now)
        } catch let code as ExitCode {
            throw code
        } catch {
            throw PinsInput.fail("pins check", "\(PinsInput.name(of: policy)): \(error)")
        }
    }

    private func decide(_ policy: PinPolicy, at now: Int64) throws -> PinVerdict {
        let name: Hostname
        do throws(HostnameError) {
            name = try Hostname(parsing: host)
        } catch {
            throw PinsInput.fail("pins check", "--host \(host): \(error)")
        }
        let certificates = try PinsInput.certificates(of: chain, "pins check")
        let validated: ValidatedChain
        do throws(ChainError) {
            validated = try ValidatedChain(assertingValidated: certificates)
        } catch {
            throw PinsInput.fail("pins check", "\(PinsInput.name(of: chain)): \(error)")
        }
        let verdict = policy.verdict(for: name, chain: validated, now: now)
        if case .matched = verdict { return verdict }
        // No TLS library validates what is no certificate, so this is not the chain, and a no would say too much.
        for (index, pin) in validated.pins.enumerated() {
            guard case .failure(let error) = pin else { continue }
            throw PinsInput.fail("pins check", "\(PinsInput.name(of: chain)): certificate \(index): \(error)")
        }
        return verdict
    }
}

extension PinFormat {
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// The form of this name.
    static func named(_ name: String) throws -> PinFormat {
        guard let format = PinFormat(rawValue: name) else { throw ValidationError("The forms are \(names).") }
        return format
    }
}
