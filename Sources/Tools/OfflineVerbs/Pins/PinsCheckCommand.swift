internal import ArgumentParser
internal import Hostnames
package import PinFormats
internal import SPKIPins

/// `sallyport pins check`: compares a validated chain with a policy.
struct PinsCheckCommand: ParsableCommand, ReadsPublicSuffixes {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Compares a validated chain with a policy.",
        discussion: """
            Give the chain that a TLS library validated, leaf first, anchor last, because this command validates nothing. \
            The chain that a server sends can contain any certificate. In a policy '*.host' covers exactly one label \
            more, and '**.host' the host and any number; in a list of sites '*.host' covers one or more. Certificates are \
            numbered from the leaf, which is 0. \
            Exit status: 0 a pin matches; 1 any other verdict; 2 could not run, or no pin matches and a certificate of the \
            chain cannot be read.
            """
    )

    @Option(help: "The policy: a compiled image, or a file in one of the forms of 'pins convert'.")
    var policy: String

    @Option(
        help: "The policy's form if it is not an image: \(PinFormat.names); json when absent.",
        transform: PinFormat.named
    )
    var format: PinFormat?

    @Option(help: "The host of the connection.")
    var host: String

    @Option(help: "The time of the decision, such as 2036-01-01T00:00:00Z; now when absent.")
    var at: String?

    @Flag(help: "One JSON object.")
    var json = false

    @Argument(help: "The validated chain, PEM; '-' for standard input.")
    var chain: String

    @OptionGroup package var publicSuffixes: PublicSuffixOptions

    /// A policy, and the parts of the file that it cannot express.
    private struct Loaded {
        let policy: PinPolicy
        var entries: [PinPolicy.Entry] = []
        var losses: [PinLoss] = []

        /// Whether the file requires more for an entry than a policy can, so that a match is not sufficient.
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
        let certificates = try PinsInput.certificates(of: chain, "pins check")
        let verdict = try decide(loaded.policy, certificates, at: now)
        if case .matched(let match) = verdict, loaded.demandsMore(forEntry: match.entry) {
            let place = "\(PinsInput.name(of: policy)): entry \(match.entry)"
            throw PinsInput.fail(
                "pins check",
                "\(place): one of its pins matches, but this form also requires a second pin, of a leaf or an authority: the answer is unknown"
            )
        }
        if json {
            try StandardOutput.write(JSONValue.line(encoding: PinsCheckAnswer(verdict, host: host)))
        } else {
            // The explanation has several lines; names in it come from certificates and may have control characters.
            try StandardOutput.write(verdict.explanation.withVisibleControls + "\n")
        }
        guard case .matched = verdict else {
            PinsInput.nameMistakenHashes(in: loaded.policy.entries, of: certificates, policy: policy)
            throw CommandExit.answerWasNo
        }
    }

    private func load(at now: Int64) throws -> Loaded {
        let bytes = try PinsInput.bytes(of: policy, "pins check")
        do {
            if PinsInput.isImage(bytes) { return Loaded(policy: try PinPolicy(image: bytes)) }
            let document = try PinsInput.document(bytes, of: policy, format, host: host, now: now, "pins check")
            PinsInput.name(document.losses, of: policy)
            // Compiled at a time when every entry was valid, because compiling refuses an expired entry. The verdict at
            // `now` then reports the expiry, and only for the hosts of that entry.
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

    private func decide(_ policy: PinPolicy, _ certificates: [[UInt8]], at now: Int64) throws -> PinVerdict {
        let name: Hostname
        do throws(HostnameError) {
            name = try Hostname(parsing: host)
        } catch {
            throw PinsInput.fail("pins check", "--host \(host): \(error)")
        }
        let validated: ValidatedChain
        do throws(ChainError) {
            validated = try ValidatedChain(assertingValidated: certificates)
        } catch {
            throw PinsInput.fail("pins check", "\(PinsInput.name(of: chain)): \(error)")
        }
        let verdict = policy.verdict(for: name, chain: validated, now: now)
        if case .matched = verdict { return verdict }
        // A TLS library does not validate a chain with an unreadable certificate. The input is therefore not the
        // validated chain, and "mismatched" could be wrong.
        for (index, pin) in validated.pins.enumerated() {
            guard case .failure(let error) = pin else { continue }
            throw PinsInput.fail("pins check", "\(PinsInput.name(of: chain)): certificate \(index): \(error)")
        }
        return verdict
    }
}

extension PinFormat {
    package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// The form of this name.
    package static func named(_ name: String) throws -> PinFormat {
        guard let format = PinFormat(rawValue: name) else { throw ValidationError("The forms are \(names).") }
        return format
    }
}
