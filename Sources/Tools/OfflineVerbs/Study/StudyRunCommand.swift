internal import ArgumentParser
internal import Corpora
internal import Foundation
internal import PinFormats
internal import PinningStudy
internal import SPKIPins
internal import WireFormat

/// `sallyport study [RECORDING]`: replays strategies over a recording.
struct StudyRunCommand: ParsableCommand, ReadsPublicSuffixes {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Replays strategies over a recording of chains (the default verb)."
    )

    @Argument(
        help:
            "The recording's folder, or the name of one that ships: \(ShippedChainRecording.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var recording: String?

    @Option(
        name: .customLong("strategy"),
        help:
            "A strategy; may be repeated. All when absent: \(PinningStrategy.builtIn.map(\.name).joined(separator: ", ")). issuers-90d and the like look as many days back."
    )
    var names: [String] = []

    @Option(help: "Pins of your own to study as well, in one of the forms of 'pins convert'.")
    var policy: String?

    @Option(
        name: .customLong("policy-format"),
        help: "The policy's form: \(PinFormat.names).",
        transform: PinFormat.named
    )
    var policyFormat: PinFormat = .json

    @Option(name: .customLong("half-life"), help: "Users get new pins with this half-life, in days; 0 for at once.")
    var halfLife = 7.0

    @Option(help: "Users get new pins by this curve: a file of lines 'days,share'.")
    var updates: String?

    @Option(help: "Days from seeing a new chain to shipping pins for it.")
    var reaction = 1.0

    @Option(help: "Follow pins shipped every so many days, instead of at every capture.")
    var every: Int?

    @Option(help: "Resamplings of the hosts for each band; 0 for none.")
    var resamplings = 500

    @Option(help: "The seed of the resamplings.")
    var seed: UInt64 = 1

    @Option(name: .customLong("latency-rounds"), help: "How often to time each decision; 0 for never.")
    var latencyRounds = 1

    @Option(help: "Write partial results to this file for 'study merge', instead of a report.")
    var partial: String?

    @Option(help: "Study one part of the hosts, such as 2/4, with --partial.", transform: StudyPart.init(parsing:))
    var part = StudyPart(number: 1, of: 1)

    @OptionGroup var output: StudyOutput

    @OptionGroup package var publicSuffixes: PublicSuffixOptions

    func validate() throws {
        guard halfLife >= 0, halfLife <= 36_500 else { throw ValidationError("--half-life takes 0 to 36500 days.") }
        guard reaction >= 0, reaction <= 3650 else { throw ValidationError("--reaction takes 0 to 3650 days.") }
        guard every.map({ (1...3650).contains($0) }) ?? true else {
            throw ValidationError("--every takes 1 to 3650 days.")
        }
        guard (0...StudyParameters.mostResamplings).contains(resamplings) else {
            throw ValidationError("--resamplings takes 0 to \(StudyParameters.mostResamplings).")
        }
        guard (0...1_000_000).contains(latencyRounds) else {
            throw ValidationError("--latency-rounds takes 0 to 1000000.")
        }
        guard part.of == 1 || partial != nil else {
            throw ValidationError("--part is for --partial: a report is made of all parts, by 'study merge'.")
        }
    }

    func run() throws {
        do {
            let history = try load()
            let strategies = try strategies()
            let parameters = try parameters()
            // Every strategy is replayed at each host, and timed there.
            let steps = 2 * strategies.count * part.share(of: history.hostCount)
            var progress = ProgressLine(total: steps, unit: "replays and timings")
            let study = Study(
                history,
                strategies: strategies,
                parameters: parameters,
                part: (part.number, part.of)
            ) { progress.advance(by: $0) }
            progress.finish()
            if let partial {
                try StudyFiles.write(study.partial, to: partial)
            } else {
                try StudyFiles.show(study, output)
            }
        } catch let code as ExitCode {
            throw code
        } catch {
            throw StudyFiles.fail("\(error)")
        }
    }

    private func load() throws -> ChainHistory {
        let folder = try self.folder()
        let history = ChainHistory(try ChainRecording(folder: folder))
        guard history.hostCount > 0 else {
            throw StudyFiles.fail("\(folder.path): no genuine, validated chain in it: there is nothing to study")
        }
        return history
    }

    /// A folder of that name goes before a recording that ships.
    private func folder() throws -> URL {
        guard let recording else { return try ShippedChainRecording.publicSites.folder() }
        if let shipped = ShippedChainRecording(rawValue: recording), !FileReading.exists(recording) {
            return try shipped.folder()
        }
        guard FileReading.exists(recording) else {
            let names = ShippedChainRecording.allCases.map(\.rawValue).joined(separator: ", ")
            throw StudyFiles.fail("\(JSONText.escaped(recording)): does not exist; name a folder, or one of \(names)")
        }
        return ArgumentPath.url(recording)
    }

    private func strategies() throws -> [PinningStrategy] {
        var strategies = try names.map { name in
            guard let known = Self.strategy(named: name) else {
                let all = PinningStrategy.builtIn.map(\.name).joined(separator: ", ")
                throw StudyFiles.fail("--strategy \(JSONText.escaped(name)): unknown; one of \(all), or issuers-DAYSd")
            }
            return known
        }
        if Set(strategies.map(\.name)).count != names.count {
            throw StudyFiles.fail("--strategy: one strategy is named twice: name each once")
        }
        if names.isEmpty { strategies = PinningStrategy.builtIn }
        if let policy { strategies.append(try read(policy)) }
        return strategies
    }

    /// A built-in strategy, or `issuers-DAYSd` with any number of days.
    private static func strategy(named name: String) -> PinningStrategy? {
        if let known = PinningStrategy.builtIn.first(where: { $0.name == name }) { return known }
        guard name.hasPrefix("issuers-"), name.hasSuffix("d"), let days = Int(name.dropFirst(8).dropLast()),
            (1...36_500).contains(days)
        else { return nil }
        return .issuersSeen(inPastDays: days)
    }

    private func read(_ file: String) throws -> PinningStrategy {
        let bytes = try PinsInput.bytes(of: file, "study")
        do {
            let entries = try policyFormat.read(bytes).entries
            return PinningStrategy(policy: try PinPolicy(compiling: entries, version: 1, at: 0))
        } catch {
            throw StudyFiles.fail("\(file): \(error)")
        }
    }

    private func parameters() throws -> StudyParameters {
        var parameters = StudyParameters()
        parameters.curve = halfLife == 0 ? .immediate : .exponential(halfLifeDays: halfLife)
        if let updates {
            do {
                let text = String(decoding: try StudyFiles.read(updates, limit: 1 << 20), as: UTF8.self)
                // Swift's Character joins CR and LF, so a split at line feeds would not find this line end.
                parameters.curve = try UpdateCurve(csv: text.replacing("\r\n", with: "\n"))
            } catch let error as UpdateCurveError {
                throw StudyFiles.fail("\(updates): \(error)")
            }
        }
        parameters.reactionDays = reaction
        parameters.starts = every.map { .grid(days: $0) } ?? .everyCapture
        parameters.resamplings = resamplings
        parameters.seed = seed
        parameters.latencyRounds = latencyRounds
        return parameters
    }
}

/// The number of a part, and the number of parts.
struct StudyPart {
    let number: Int
    let of: Int

    init(number: Int, of: Int) {
        self.number = number
        self.of = of
    }

    init(parsing text: String) throws {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let of = parts[1], of <= 100_000, number >= 1, number <= of
        else {
            throw ValidationError("--part takes a number and how many there are, such as 2/4.")
        }
        self.init(number: number, of: of)
    }

    /// How many of `count` hosts are in this part; the hosts go to the parts in turn.
    func share(of count: Int) -> Int { (count - number + of) / of }
}
