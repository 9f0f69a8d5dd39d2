internal import ChainSources
internal import Corpora
internal import OfflineVerbs

/// An import under way: the recording that chains are added to, and how many entries became what.
struct StudyImport: ~Copyable {
    private var writer: ChainRecordingWriter
    /// The roots of `--roots`; `nil` for those of the system.
    private let trusted: [[UInt8]]?
    private let validator: ChainValidator
    private var progress: ProgressLine
    private(set) var imported = 0
    private(set) var validated = 0
    /// The number of entries that were left out.
    private(set) var leftOut = 0
    private(set) var losses = ImportLosses()
    private(set) var unjudged = ImportLosses()

    var appends: Bool { writer.appends }

    init(into writer: consuming ChainRecordingWriter, trusting trusted: [[UInt8]]?) {
        self.writer = writer
        self.trusted = trusted
        validator = trusted.map { ChainValidator(roots: $0) } ?? .system
        progress = ProgressLine(unit: "chains")
    }

    /// Validates each chain of a file or folder at its own time, and adds it to the recording.
    mutating func addChains(of path: String, _ format: ImportFormat, _ options: ImportOptions) throws {
        let left = try format.forEachChain(in: path, options) { (chain) throws(RecordingError) in
            addChain(chain)
            progress.advance(by: 1)
        }
        leftOut += left.count
        losses.add(left)
    }

    /// Completes the recording.
    mutating func commit() throws {
        try writer.commit()
        progress.finish()
    }

    private mutating func addChain(_ chain: ImportedChain) {
        let outcome = outcome(of: chain)
        var entry = ChainRecordingWriter.Entry(first: chain.time, last: chain.time, endpoint: chain.endpoint)
        entry.presented = chain.presented
        entry.source = chain.source
        if case .validated(let path) = outcome { entry.validated = path }
        entry.note = outcome.flatMap(chain.note)
        do throws(RecordingError) {
            try writer.add(entry)
        } catch {
            StandardError.write("sallyport study: import: \(error.problem)\n")
            leftOut += 1
            return
        }
        imported += 1
        if entry.validated != nil { validated += 1 }
        if case .notJudged = outcome, let note = outcome?.note {
            let remedy = "recorded as presented; verify it with another program, such as 'openssl verify'"
            unjudged.leaveOut("\(chain.endpoint)", "\(note): \(remedy)")
        }
    }

    /// What the validator says of a chain; `nil` if the check ended with an error.
    private func outcome(of chain: ImportedChain) -> ChainValidator.Outcome? {
        let own = chain.roots.isEmpty ? validator : ChainValidator(roots: chain.roots + (trusted ?? []))
        return try? Blocking.run { await own.validate(chain.presented, host: chain.endpoint.host, at: chain.time) }
    }
}
