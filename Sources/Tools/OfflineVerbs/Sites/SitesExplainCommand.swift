internal import AllowedSites
internal import ArgumentParser
internal import Hostnames
internal import InternationalHostnames
internal import WireFormat

/// `sallyport sites explain`: how a verdict comes about.
struct SitesExplainCommand: ParsableCommand, ReadsPublicSuffixes {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Shows which rules were looked at for a URL, and why the winner won.",
        discussion: "Exit status: 0 allowed, 1 not, 2 could not run."
    )

    @OptionGroup var lists: SiteListOptions

    @Flag(
        help:
            "One JSON object: input, verdict, rule, line, list, reason, lists with their steps, publicSuffixes (the date of the list, or null)."
    )
    var json = false

    @Argument(help: "An absolute URL.")
    var url: String

    @OptionGroup package var publicSuffixes: PublicSuffixOptions

    func run() throws {
        let sites = try lists.load(verb: "explain")
        let verdict: LayeredVerdict
        var layers: [(layer: String, explanation: SiteExplanation)] = []
        do throws(URLLocationError) {
            let location = try URLLocation(parsing: url, hosts: .international)
            verdict = sites.verdict(for: location.origin, path: location.path)
            layers = sites.explain(location.origin, path: location.path)
        } catch {
            verdict = LayeredVerdict(answer: .invalid(error), layer: nil, unheard: nil)
        }
        try StandardOutput.write(json ? jsonText(verdict, layers, sites) : text(verdict, layers, sites))
        if !verdict.answer.isAllowed { throw CommandExit.answerWasNo }
    }

    private func jsonText(
        _ verdict: LayeredVerdict,
        _ layers: [(layer: String, explanation: SiteExplanation)],
        _ sites: LayeredSites
    ) -> String {
        let steps = layers.map { layer in
            JSONValue.object([
                ("list", .string(layer.layer)),
                ("verdict", .string(layer.explanation.verdict.description)),
                ("steps", .array(layer.explanation.steps.map(JSONValue.string))),
            ])
        }
        let members = VerdictWriter.members(verdict, sites.rule(of: verdict), of: sites)
        return JSONValue.object(
            [("input", .string(url))] + members + [
                ("lists", .array(steps)),
                ("publicSuffixes", PublicSuffixList.current.date.map(JSONValue.string) ?? .null),
            ]
        ).text + "\n"
    }

    private func text(
        _ verdict: LayeredVerdict,
        _ layers: [(layer: String, explanation: SiteExplanation)],
        _ sites: LayeredSites
    ) -> String {
        var lines: [String] = []
        for layer in layers {
            if layers.count > 1 { lines.append("\(layer.layer):") }
            lines += layer.explanation.steps
            if layers.count > 1 { lines.append("so \(layer.layer) says: \(layer.explanation.verdict)") }
        }
        lines.append(PublicSuffixList.current.sentence)
        lines.append(sites.description(of: verdict))
        return lines.map(JSONText.escaped).joined(separator: "\n") + "\n"
    }
}
