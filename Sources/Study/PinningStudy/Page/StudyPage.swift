internal import Corpora
internal import WireFormat

extension StudyReport {
    /// The report as one HTML page. It loads no other files, has no scripts, and describes its charts in text.
    public var page: String {
        Page.document(
            title: "Pinning strategies on \(recording.name)",
            content: """
                <p>\(recording.captures.counted("capture")) of \(recording.hosts.counted("host")), \
                \(recording.certificates.counted("certificate")), \
                \(recording.impostors.counted("impostor’s chain", "impostors’ chains")), \
                \(Self.whole(Timestamp.text(unixSeconds: recording.first).prefix(10))) to \
                \(Self.whole(Timestamp.text(unixSeconds: recording.last).prefix(10))).</p>
                <h2>Advice</h2>
                <p class="advice">\(adviceWithWholeNames)</p>
                <h2>How long pins live</h2>
                <p>Each line falls when a host shows a chain that the pins refuse. A change happened somewhere between two captures: \
                <b class="early-text">early</b> takes every change for as early as it can have been, <b class="late-text">late</b> for as \
                late. The pale area is a band of 95 %, from resampling hosts.</p>
                <div class="grid">
                \(survivalFigures)</div>
                <div class="grid wide">
                \(figure(TimelineChart.svg(recording), "When hosts changed", timelineCaption))
                \(figure(TradeoffChart.svg(strategies), "Outage against exposure", tradeoffCaption))
                \(LatencyChart.svg(strategies).map { figure($0, "What a decision costs", latencyCaption) } ?? "")
                </div>
                <h2>The numbers: whom pins lock out</h2>
                \(outageTable)
                <h2>The numbers: what pins let in, and what they cost</h2>
                \(exposureTable)
                <h2>Strategies, two by two</h2>
                <p>How many days out of a year more the first locks a user out of a host than the second: the mean of the hosts that \
                both were replayed at, and its band of 95 %; at how many hosts it does worse and better; the sign test of that.</p>
                \(comparisonTable)
                <h2>How it was computed</h2>
                \(method)
                """
        )
    }

    /// A date or a name, in which no line ends.
    private static func whole(_ text: some StringProtocol) -> String { "<span class=\"whole\">\(text)</span>" }

    private var adviceWithWholeNames: String {
        strategies.map { SVG.escaped("'\($0.name)'") }.reduce(SVG.escaped(advice)) { text, name in
            text.replacing(name, with: Self.whole(name))
        }
    }

    private func figure(_ svg: String, _ title: String, _ caption: String) -> String {
        "<section>\n<h2>\(SVG.escaped(title))</h2>\n<figure>\n\(svg)<figcaption>\(caption)</figcaption>\n</figure>\n</section>"
    }

    private var survivalFigures: String {
        let last = strategies.flatMap { $0.survival.late.steps.map(\.days) }.max() ?? 0
        let horizon = min(910, max(StudyParameters.horizonDays, last))
        return strategies.enumerated().map { index, strategy in
            "<figure>\n<h3>\(SVG.escaped(strategy.name))</h3>\n\(SurvivalChart.svg(strategy, horizon: horizon, index: index))"
                + "<figcaption>\(SVG.escaped(strategy.summary)): \(strategy.survival.failures) of \(strategy.survival.starts) failed"
                + "</figcaption>\n</figure>\n"
        }.joined()
    }

    private var timelineCaption: String {
        let shown =
            recording.timelines.count > TimelineChart.mostHosts ? " The first \(TimelineChart.mostHosts) hosts." : ""
        return
            "<span class=\"key-leaf\">┃</span> a new leaf, <span class=\"key-issuer\">◆</span> another issuer’s key, "
            + "<span class=\"key-root\">■</span> another root, where the new chain was first seen; the thick line before it is when it can "
            + "have happened.\(shown)"
    }

    private var tradeoffCaption: String {
        "The mean of all hosts, changes as late as possible, on a square-root scale; whiskers are bands of 95 %. "
            + "<b class=\"front\">Bold</b>: no other strategy is better in one and as good in the other."
    }

    private var latencyCaption: String {
        let count = strategies.first?.cost.latencyNanoseconds["count"] ?? 0
        return
            "From the left: the median (large), 90 %, 99 %, 99.9 % and the longest of \(count.counted("decision")), on a logarithmic scale, "
            + "with the strategy’s compiled pins. Reading the clock is in it."
    }

    // MARK: - Method

    private var method: String {
        var updates = parameters.curve
        if let halfLife = parameters.halfLifeDays { updates += ", half-life \(StudyText.days(halfLife))" }
        if let points = parameters.points { updates += ", \(points.count)" }
        let facts = [
            ("Recording", recording.origin.isEmpty ? recording.name : recording.origin),
            ("Its times", recording.timeMeaning.isEmpty ? "as recorded" : recording.timeMeaning),
            (
                "Not studied",
                "\(recording.unvalidated.counted("observation")) without a validated chain, \(recording.unjudged) of them not judged; "
                    + "\(recording.unstudiedHosts.counted("host")) without any; "
                    + recording.repeated.counted("repeated observation")
            ),
            ("Starts", parameters.starts),
            (
                "Updates",
                "\(updates); pins shipped \(StudyText.days(parameters.reactionDays)) after a change was seen"
            ),
            ("Bands", "\(parameters.resamplings.counted("resampling")) of hosts, seed \(parameters.seed)"),
        ]
        return """
            <p>At each capture a strategy ships pins, from what was known then and nothing later. Survival is the product-limit estimate \
            (Kaplan and Meier), with pins that outlive the recording cut off. Locked out are users whose pins refuse the chain that the host \
            serves, until new pins reach them. Keys are the host’s own, the pinned ones, and every authority’s that was seen below a pinned \
            one. A leaked key counts from the leak until pins refuse the chain with it, its certificate expires or the recording ends. \
            Intervals for hosts are Wilson’s, at 95 %.</p>
            <dl>
            \(facts.map { "<dt>\($0.0)</dt><dd>\(SVG.escaped($0.1))</dd>" }.joined(separator: "\n"))
            </dl>
            """
    }
}
