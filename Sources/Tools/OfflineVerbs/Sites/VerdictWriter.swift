internal import AllowedSites
internal import Hostnames
internal import InternationalHostnames
internal import WireFormat

/// Answers lines and collects the answers as text.
///
/// The text after the input (the ending) depends mostly on the rule, so an ending that repeats is cached.
struct VerdictWriter {
    private let sites: LayeredSites
    private let isJSON: Bool
    /// Text that `flush()` has not yet written.
    private(set) var output: [UInt8] = []
    private(set) var count = 0
    /// Whether every answer so far was yes.
    private(set) var isAllAllowed = true
    /// A direct-mapped cache: a new ending replaces the one at its place, so the memory is bounded for any list.
    private var endings = [Ending?](repeating: nil, count: 1 << 16)
    /// Scratch space for one ending.
    private var text: [UInt8] = []

    /// A cached ending. The first use stores only the key and the second use stores the text, because storing the text
    /// of an ending that does not repeat costs more than making it.
    private struct Ending {
        let key: Key
        let text: [UInt8]?
    }

    private struct Key: Equatable {
        let kind: UInt8
        let layer: Int
        let rule: Int
        let unheard: Int
        let unheardLayer: Int

        init(_ verdict: LayeredVerdict) {
            kind = verdict.answer.kind
            layer = verdict.layer ?? -1
            rule = verdict.answer.rule?.position ?? -1
            unheard = verdict.unheard?.rule.position ?? -1
            // Each layer counts its rules from 0.
            unheardLayer = verdict.unheard?.layer ?? -1
        }

        /// A place among `count`, a power of two; rules with consecutive numbers get different places.
        func place(among count: Int) -> Int {
            (rule &+ unheard &* 61 &+ layer &* 6151 &+ unheardLayer &* 3079 &+ Int(kind) &* 12_289) & (count - 1)
        }
    }

    init(sites: LayeredSites, isJSON: Bool) {
        self.sites = sites
        self.isJSON = isJSON
    }

    /// Answers the URL at `range` of `bytes`.
    mutating func answer(_ bytes: [UInt8], _ range: Range<Int>) {
        let verdict = verdict(bytes, range)
        count += 1
        if !verdict.answer.isAllowed { isAllAllowed = false }
        if isJSON {
            output.append(contentsOf: Self.jsonStart)
        } else {
            output.append(contentsOf: Self.padded(verdict.answer))
        }
        output.append(jsonText: bytes.span.extracting(range))
        appendEnding(verdict)
    }

    /// Writes the collected text to standard output and clears it.
    mutating func flush() throws {
        try StandardOutput.write(output)
        output.removeAll(keepingCapacity: true)
    }

    private func verdict(_ bytes: [UInt8], _ range: Range<Int>) -> LayeredVerdict {
        sites.verdict(forURL: bytes.span.extracting(range), hosts: .international)
    }

    private mutating func appendEnding(_ verdict: LayeredVerdict) {
        // An invalid URL has its own place and byte in the reason.
        guard !verdict.answer.isInvalid else {
            makeEnding(verdict)
            return
        }
        let key = Key(verdict)
        let place = key.place(among: endings.count)
        guard let known = endings[place], known.key == key else {
            endings[place] = Ending(key: key, text: nil)
            makeEnding(verdict)
            return
        }
        if let text = known.text {
            output.append(contentsOf: text)
        } else {
            let start = output.count
            makeEnding(verdict)
            endings[place] = Ending(key: key, text: Array(output[start...]))
        }
    }

    /// Appends the text after the input.
    private mutating func makeEnding(_ verdict: LayeredVerdict) {
        let rule = sites.rule(of: verdict)
        guard isJSON else {
            text.removeAll(keepingCapacity: true)
            if let rule {
                rule.append(to: &text)
                text.append(contentsOf: ": ".utf8)
            }
            sites.append(verdict, to: &text)
            output.append(contentsOf: "  ".utf8)
            let explanation = text
            output.append(jsonText: explanation.span)
            output.append(UInt8(ascii: "\n"))
            return
        }
        // The input and its closing quote are written already.
        let members = JSONValue.object(Self.members(verdict, rule, of: sites)).text
        output.append(contentsOf: "\",\(members.dropFirst())\n".utf8)
    }

    /// The JSON members of an answer, without the input.
    static func members(
        _ verdict: LayeredVerdict,
        _ rule: SiteRule?,
        of sites: LayeredSites
    ) -> [(name: String, value: JSONValue)] {
        [
            ("verdict", .string(word(verdict.answer))),
            ("rule", JSONValue(rule?.description)),
            ("line", verdict.answer.rule.map { .integer(UInt64($0.line)) } ?? .null),
            ("list", JSONValue(list(of: verdict, sites))),
            ("reason", .string(sites.description(of: verdict))),
        ]
    }

    /// The list of the rule that decided; an image has the names of the lists that it was compiled from.
    private static func list(of verdict: LayeredVerdict, _ sites: LayeredSites) -> String? {
        guard let layer = verdict.layer.map({ sites.layers[$0] }) else { return nil }
        return verdict.answer.rule.flatMap { layer.sites.listName(of: $0) } ?? layer.name
    }

    private static let jsonStart = Array("{\"input\":\"".utf8)

    /// The answer, padded to the width of its column.
    private static func padded(_ answer: SiteVerdict) -> [UInt8] {
        switch answer {
        case .allowed: allowedColumn
        case .denied: deniedColumn
        case .invalid: invalidColumn
        }
    }

    private static let allowedColumn = Array("allowed  ".utf8)
    private static let deniedColumn = Array("denied   ".utf8)
    private static let invalidColumn = Array("invalid  ".utf8)

    /// The answer in one word.
    static func word(_ answer: SiteVerdict) -> String {
        switch answer {
        case .allowed: "allowed"
        case .denied: "denied"
        case .invalid: "invalid"
        }
    }
}

extension SiteVerdict {
    fileprivate var isInvalid: Bool {
        if case .invalid = self { return true }
        return false
    }

    /// A number for each kind of answer.
    fileprivate var kind: UInt8 {
        switch self {
        case .allowed: 0
        case .denied(.noRule): 1
        case .denied(.otherScheme): 2
        case .denied(.otherPort): 3
        case .denied(.otherPath): 4
        case .denied(.uncertainPath): 5
        case .denied(.exception): 6
        case .invalid: 7
        }
    }
}
