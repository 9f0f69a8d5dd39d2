internal import HTTPAuthentication
internal import WireFormat

/// Writes events as a transcript that `sallyport replay` reads: one JSON object a line, without passwords, answers and queries.
///
/// ```swift
/// var transcript = Transcript()
/// for await event in stream.events { try file.write(transcript.record(event)) }
/// try file.write(transcript.finish())
/// ```
///
/// The lines of one request are written together, when it ends. `Corpora` draws the format.
public struct Transcript: Sendable {
    /// What is written in place of hosts, users and accounts.
    public enum Names: Sendable {
        /// Their names.
        case kept
        /// Names that a keyed hash makes of them; equal names stay equal. Paths stay as they are.
        case pseudonyms(TranscriptKey)
    }

    /// What takes the place of the secret part of an answer. No answer contains these characters.
    public static let redacted = "<redacted>"
    /// The most requests whose end is awaited. Beyond it the oldest one is left out.
    public static let mostOpenRequests = 4_096

    let names: TranscriptNames
    private var hasHeader = false
    private var open: [UInt64: OpenRequest] = [:]

    /// A transcript that begins now.
    public init(names: Names = .kept) {
        self.names = TranscriptNames(names)
    }

    /// Records an event, and returns the lines that are complete with it; often none.
    public mutating func record(_ event: AuthenticationEvent) -> [UInt8] {
        var lines: [UInt8] = []
        switch event.content {
        case .profile(let profile):
            lines = self.profile(profile, at: event.unixMicroseconds)
        case .forgiven(let account):
            lines = forgiven(account, at: event.unixMicroseconds)
        case .started(let start):
            guard let number = event.request else { return [] }
            if open.count >= Self.mostOpenRequests, let oldest = open.keys.min() { open[oldest] = nil }
            open[number] = OpenRequest(start)
        case .response, .selection, .answered, .tokenPlaced, .restarted, .waiting, .needed, .unmet, .ended:
            guard let number = event.request, open[number] != nil else { return [] }
            open[number]?.record(event)
            guard case .ended = event.content, let request = open.removeValue(forKey: number) else { return [] }
            lines = self.lines(of: request, number: number)
        case .asked, .replied, .judged, .lockout, .signedOut:
            lines = note(event)
        }
        guard !lines.isEmpty else { return [] }
        defer { hasHeader = true }
        return hasHeader ? lines : header(at: event.unixMicroseconds) + lines
    }

    /// The lines of the requests that have not ended.
    public mutating func finish() -> [UInt8] {
        var lines: [UInt8] = []
        for number in open.keys.sorted() {
            guard let request = open.removeValue(forKey: number) else { continue }
            lines += self.lines(of: request, number: number)
        }
        return lines
    }
}

/// A request whose lines are not written yet.
struct OpenRequest: Sendable {
    /// A response, and what the handler decided after it.
    struct Decided: Sendable {
        let time: Int64
        let response: ResponseSeen
        var selection: SchemeSelection?
        var answers: [AnswerSent] = []
        /// `nil` while the decision is due.
        var verdict: String?
        var reason: String?
    }

    /// The most responses of one request; a handler sends fewer.
    static let mostResponses = 2 * RequestLimits.sends

    let start: RequestStart
    /// Whether the first send carried an answer in advance.
    private(set) var isInAdvance = false
    private(set) var decided: [Decided] = []

    init(_ start: RequestStart) { self.start = start }

    /// The scheme of the first answer, as the kind of the exchange.
    var kind: String {
        decided.lazy.flatMap(\.answers).first?.scheme.shownName ?? (isInAdvance ? "in-advance" : "unanswered")
    }

    mutating func record(_ event: AuthenticationEvent) {
        switch event.content {
        case .response(let response):
            guard decided.count < Self.mostResponses else { return }
            decided.append(Decided(time: event.unixMicroseconds, response: response))
        case .answered(let answer):
            guard let last = decided.indices.last else {
                isInAdvance = true
                return
            }
            decided[last].answers.append(answer)
            decided[last].verdict = "answered"
        case .selection(let selection):
            if let last = decided.indices.last { decided[last].selection = selection }
        case .restarted: decide("repeated")
        case .ended(let end):
            switch end.outcome {
            case .accepted: decide("accepted")
            case .notChallenged: decide("passed")
            case .withheld(let refusal, by: _):
                if refusal.isOfParty { decide("refused") } else { decide("withheld", refusal.code) }
            case .abandoned: break
            }
        default: break
        }
    }

    private mutating func decide(_ verdict: String, _ reason: String? = nil) {
        guard let last = decided.indices.last, decided[last].verdict == nil else { return }
        (decided[last].verdict, decided[last].reason) = (verdict, reason)
    }
}
