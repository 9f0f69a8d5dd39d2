internal import PinningStudy

extension LatencyRun {
    /// The run as one page of HTML, a chart for each operation, beside a saved run where there is one.
    package func page(against saved: LatencyRun?) -> String {
        Page.document(
            title: "Latencies of single calls",
            content: """
                <p>\(SVG.escaped(about)). \(clockNanoseconds) ns for reading the clock are taken off each call.</p>
                \(saved.map { "<p>Saved run: \(SVG.escaped($0.about)).</p>" } ?? "")
                <p>A curve says how long the quickest share of calls takes at most; each step to the right leaves a tenth as many that are \
                slower. In the <b>closed</b> loop a call begins when the one before has ended. In the <b>open</b> loop, the thinner line, calls \
                arrive at a fixed rate, and latencies count from the arrival that was meant.</p>
                <p><b class="late-text">━● this run</b>\(saved == nil ? "" : ", <b class=\"early-text\">╍○ the saved run</b>")</p>
                <div class="grid">
                \(operations.enumerated().map { figure($1, saved, $0) }.joined())</div>
                <h2>The numbers</h2>
                \(LatencyCurve.Loop.allCases.map(numbers).joined(separator: "\n"))
                """
        )
    }

    private func figure(_ operation: String, _ saved: LatencyRun?, _ index: Int) -> String {
        let svg = LatencyChart.svg(
            operation,
            now: curves(operation),
            before: saved?.curves(operation) ?? [:],
            index: index
        )
        let open = entry(operation, .open)
        let rate = open.flatMap(\.rate).map { "open loop: \(Int($0)) arrivals a second" }
        let busy = open.flatMap(\.utilisation).map { "\(Int(($0 * 100).rounded())) % of the time under way" }
        let caption = [rate, busy].compactMap { $0 }.joined(separator: ", ")
        return "<figure>\n<h3>\(SVG.escaped(operation))</h3>\n\(svg)<figcaption>\(caption)</figcaption>\n</figure>\n"
    }

    private func curves(_ operation: String) -> LatencyChart.Curves {
        let own = entries.filter { $0.operation == operation }
        return LatencyChart.Curves(own.map { ($0.loop, $0.curve) }) { first, _ in first }
    }

    private func numbers(_ loop: LatencyCurve.Loop) -> String {
        let rows = entries.filter { $0.loop == loop }
        guard !rows.isEmpty else { return "" }
        let header = ["operation"] + LatencyCurve.percentiles.map(\.name) + ["max", "calls"]
        let cells = rows.map { entry in
            let values = LatencyCurve.percentiles.map { entry.curve.nanoseconds(at: $0.value).map(Self.text) ?? "·" }
            let all = values + [entry.curve.slowest.map(Self.text) ?? "·", "\(entry.curve.calls)"]
            return "<tr><th scope=\"row\">\(SVG.escaped(entry.operation))</th>"
                + all.map { "<td>\($0)</td>" }.joined() + "</tr>\n"
        }
        return """
            <h3>\(loop == .closed ? "Closed" : "Open") loop</h3>
            <div class="scroll" role="region" aria-label="\(loop.rawValue) loop" tabindex="0">
            <table>
            <thead><tr>\(header.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr></thead>
            <tbody>
            \(cells.joined())</tbody>
            </table>
            </div>
            """
    }
}
