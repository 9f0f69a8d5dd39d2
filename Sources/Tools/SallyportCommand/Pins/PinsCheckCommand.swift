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

    /// A policy, and the losses on the way to it.
    private struct Loaded {
        let policy: PinPolicy
        var entries: [PinPolicy.Entry] = []
        var losses: [PinLoss] = []

        /// Whether the file demanded more for an entry than our policies can, so that a match says too little.
        func demandsMore(forEntry index: Int) -> Bool {
            entries.indices.contains(index)
                && losses.contains {
                    $0.subject == .conjunction && [$0.pattern, "**.\($0.pattern)"].contains(entries[index].host)
                }
        }
    }

    func run() throws {
        let now = try PinsInput.time(at: at, "pins check")
        let loaded = try load(at: now)
        let verdict = try decide(loaded.policy, at: now)
        if case .matched(let match) = verdict, loaded.demandsMore(forEntry: match.entry) {
            let place = "\(PinsInput.name(of: policy)): entry \(match.entry)"
            throw PinsInput.fail(
                "pins check",
                "\(place): one pin of it matches, and this form demands a leaf's and an authority's: no answer"
            )
        }
        if json {
            try StandardOutput.write(PinsInput.line(PinsCheckAnswer(verdict, host: host)))
        } else {
            // Its lines are its own; the names in them are the certificates'.
            try StandardOutput.write(verdict.explanation.withVisibleControls + "\n")
        }
        guard case .matched = verdict else { throw CommandExit.answerWasNo }
    }

    private func load(at now: Int64) throws -> Loaded {
        let bytes = try PinsInput.bytes(of: policy, "pins check")
        do {
            if PinsInput.isImage(bytes) { return Loaded(policy: try PinPolicy(image: bytes)) }
            let document = try PinsInput.document(bytes, of: policy, format, host: host, now: now, "pins check")
            PinsInput.name(document.losses, of: policy)
            // As it was compiled while all of it was valid: what has expired since is a verdict, and only about its own hosts.
            let before = document.entries.compactMap(\.expiry).min().map { $0 - 1 } ?? now
            return Loaded(
                policy: try PinPolicy(compiling: document.entries, version: 0, at: min(before, now)),
                entries: document.entries,
                losses: document.losses
            )
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
