internal import Charts
internal import Corpora

extension StudyReport {
    /// The report as one HTML page. It loads no other files, has no scripts, and describes its charts in text.
    public var page: String {
        Page.document(
            title: "Pinning strategies on \(recording.name)",
            content: """
                <p>\(recording.captures) captures of \(recording.hosts) hosts, \(recording.certificates) certificates, \
                \(recording.impostors) impostors’ chains, \(RecordingTime.text(recording.first).prefix(10)) to \
                \(RecordingTime.text(recording.last).prefix(10)).</p>
                <h2>Advice</h2>
                <p class="advice">\(SVG.escaped(advice))</p>
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
                <h2>The numbers</h2>
                <div class="scroll" role="region" aria-label="The numbers" tabindex="0">
                \(table)</div>
                <h2>Strategies, two by two</h2>
                <p>How many days out of a year more the first locks a user out of a host than the second: the mean of the hosts that \
                both were replayed at, and its band of 95 %; at how many hosts it does worse and better; the sign test of that.</p>
                <div class="scroll" role="region" aria-label="Strategies, two by two" tabindex="0">
                \(comparisonTable)</div>
                <h2>How it was computed</h2>
                \(method)
                """
        )
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
            "From the left: the median (large), 90 %, 99 %, 99.9 % and the longest of \(count) decisions, on a logarithmic scale, "
            + "with the strategy’s compiled pins. Reading the clock is in it."
    }

    // MARK: - Table

    private var table: String {
        let header = [
            "strategy", "median life, days", "mean life within 365 days", "outages", "hosts with one",
            "days/year locked out",
            "keys", "authorities", "organisations", "impostors accepted", "days from a leaked key to new pins", "pins",
            "bytes", "front",
        ]
        var text =
            "<table>\n<thead><tr>" + header.map { "<th scope=\"col\">\($0)</th>" }.joined() + "</tr></thead>\n<tbody>\n"
        for strategy in strategies {
            let (survival, outages, exposure) = (strategy.survival, strategy.outages, strategy.exposure)
            let impostors = exposure.impostors.sorted { $0.key < $1.key }.filter { $0.value.seen > 0 }
                .map { "\($0.value.accepted) of \($0.value.seen) \($0.key)" }
            let cells = [
                span(survival.early.median, survival.late.median),
                span(survival.early.restrictedMean, survival.late.restrictedMean), "\(outages.count)",
                "\(outages.hosts.count) of \(outages.hosts.total)\(interval(outages.hosts))",
                span(outages.userDaysPerHostYear.late, outages.userDaysPerHostYear.early), Advice.number(exposure.keys),
                Advice.number(exposure.authorities), Advice.number(exposure.organisations),
                impostors.isEmpty ? "none seen" : impostors.joined(separator: ", "),
                exposure.leaks.map(window) ?? "none known", Advice.number(strategy.cost.pins),
                "\(strategy.cost.bytes)", strategy.isOnFront ? "yes" : "",
            ]
            text += "<tr><th scope=\"row\">\(SVG.escaped(strategy.name))</th>"
            text += cells.map { "<td>\($0)</td>" }.joined() + "</tr>\n"
        }
        return text + "</tbody>\n</table>\n"
    }

    private var comparisonTable: String {
        let header = ["first", "second", "days/year", "band", "worse at", "better at", "sign test"]
        var text =
            "<table>\n<thead><tr>" + header.map { "<th scope=\"col\">\($0)</th>" }.joined() + "</tr></thead>\n<tbody>\n"
        for comparison in comparisons {
            let band = comparison.band.flatMap { band in
                band.low.flatMap { low in band.high.map { "\(Advice.number(low)) to \(Advice.number($0))" } }
            }
            let cells = [
                SVG.escaped(comparison.other), Advice.number(comparison.userDaysPerHostYear), band ?? "none",
                "\(comparison.worse)", "\(comparison.better)",
                comparison.signTest < 0.001 ? "&lt; 0.001" : "\((comparison.signTest * 1000).rounded() / 1000)",
            ]
            text += "<tr><th scope=\"row\">\(SVG.escaped(comparison.one))</th>"
            text += cells.map { "<td>\($0)</td>" }.joined() + "</tr>\n"
        }
        return text + "</tbody>\n</table>\n"
    }

    private func window(_ leaks: StrategyReport.Leaks) -> String {
        "\(Advice.number(leaks.meanWindowDays)) (users \(Advice.number(leaks.meanUserDays)); \(leaks.closedByPins) of "
            + "\(leaks.count) closed)"
    }

    private func interval(_ share: Proportion) -> String {
        guard let wilson = share.wilson, let low = wilson.low, let high = wilson.high else { return "" }
        let bound = share.ruleOfThree.map { "; rule of three: below \(Int(($0 * 100).rounded())) %" } ?? ""
        return " (\(Int((low * 100).rounded()))–\(Int((high * 100).rounded())) %\(bound))"
    }

    private func span(_ low: Double?, _ high: Double?) -> String {
        let (low, high) = (low.map(Advice.number) ?? "end", high.map(Advice.number) ?? "end")
        return low == high ? low : "\(low)–\(high)"
    }

    // MARK: - Method

    private var method: String {
        var updates = parameters.curve
        if let halfLife = parameters.halfLifeDays { updates += ", half-life \(Advice.number(halfLife)) days" }
        if let points = parameters.points { updates += ", \(points.count)" }
        let facts = [
            ("Recording", recording.origin.isEmpty ? recording.name : recording.origin),
            ("Its times", recording.timeMeaning.isEmpty ? "as recorded" : recording.timeMeaning),
            ("Not studied", "\(recording.unvalidated) observations without a validated chain"),
            ("Starts", parameters.starts),
            (
                "Updates",
                "\(updates); pins shipped \(Advice.number(parameters.reactionDays)) days after a change was seen"
            ),
            ("Bands", "\(parameters.resamplings) resamplings of hosts, seed \(parameters.seed)"),
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
