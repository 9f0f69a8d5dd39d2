/// The tables of the page. Each has a width that a page of 768 pixels has room for; on a narrower one it scrolls by itself.
extension StudyReport {
    /// How long pins live, and whom they lock out.
    var outageTable: String {
        let header = [
            "strategy", "median life, days", "mean life within 365 days", "outages", "hosts with one",
            "days/year locked out", "front",
        ]
        return table(
            "Whom pins lock out",
            header,
            strategies.map { strategy in
                let (survival, outages) = (strategy.survival, strategy.outages)
                return [
                    strategy.name, StudyText.span(survival.early.median, survival.late.median),
                    StudyText.span(survival.early.restrictedMean, survival.late.restrictedMean), "\(outages.count)",
                    "\(outages.hosts.count) of \(outages.hosts.total)\(interval(outages.hosts))",
                    StudyText.span(outages.userDaysPerHostYear.late, outages.userDaysPerHostYear.early),
                    strategy.isOnFront ? "yes" : "",
                ]
            }
        )
    }

    /// Who could impersonate a host, and what the pins cost.
    var exposureTable: String {
        let header = [
            "strategy", "keys", "authorities", "organisations", "impostors accepted",
            "days from a leaked key to new pins", "pins", "bytes",
        ]
        return table(
            "What pins let in, and what they cost",
            header,
            strategies.map { strategy in
                let exposure = strategy.exposure
                let impostors = exposure.impostors.sorted { $0.key < $1.key }.filter { $0.value.seen > 0 }
                    .map { "\($0.value.accepted) of \($0.value.seen) \($0.key)" }
                return [
                    strategy.name, StudyText.number(exposure.keys), StudyText.number(exposure.authorities),
                    StudyText.number(exposure.organisations),
                    impostors.isEmpty ? "none seen" : impostors.joined(separator: ", "),
                    exposure.leaks.map(window) ?? "none known", StudyText.number(strategy.cost.pins),
                    "\(strategy.cost.bytes)",
                ]
            }
        )
    }

    /// Each pair of strategies.
    var comparisonTable: String {
        table(
            "Strategies, two by two",
            ["first", "second", "days/year", "band", "worse at", "better at", "sign test"],
            comparisons.map { comparison in
                [
                    comparison.one, comparison.other, StudyText.number(comparison.userDaysPerHostYear),
                    comparison.band.map { StudyText.span($0.low, $0.high, separator: " to ") } ?? "none",
                    "\(comparison.worse)", "\(comparison.better)",
                    comparison.signTest < 0.001 ? "< 0.001" : "\((comparison.signTest * 1000).rounded() / 1000)",
                ]
            }
        )
    }

    /// The HTML of a table; the first cell of a row is its name.
    private func table(_ label: String, _ header: [String], _ rows: [[String]]) -> String {
        let head = header.map { "<th scope=\"col\">\(SVG.escaped($0))</th>" }.joined()
        let body = rows.map { row in
            let cells = row.dropFirst().map { "<td>\(SVG.escaped($0))</td>" }.joined()
            return "<tr><th scope=\"row\">\(SVG.escaped(row[0]))</th>\(cells)</tr>\n"
        }
        return """
            <div class="scroll" role="region" aria-label="\(SVG.escaped(label))" tabindex="0">
            <table>
            <thead><tr>\(head)</tr></thead>
            <tbody>
            \(body.joined())</tbody>
            </table>
            </div>
            """
    }

    private func window(_ leaks: StrategyReport.Leaks) -> String {
        "\(StudyText.number(leaks.meanWindowDays)) (users \(StudyText.number(leaks.meanUserDays)); \(leaks.closedByPins) of "
            + "\(leaks.count) closed)"
    }

    private func interval(_ share: Proportion) -> String {
        guard let wilson = share.wilson, let low = wilson.low, let high = wilson.high else { return "" }
        let bound = share.ruleOfThree.map { "; rule of three: below \(Int(($0 * 100).rounded())) %" } ?? ""
        return " (\(Int((low * 100).rounded()))–\(Int((high * 100).rounded())) %\(bound))"
    }
}
