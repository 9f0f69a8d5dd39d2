internal import Corpora
internal import WireFormat

/// When each host changed its leaf, its issuer and its root.
enum TimelineChart {
    /// The upper bound of rows, because a longer chart is unreadable.
    static let mostHosts = 40
    private static let width = 340.0
    /// Beside the scale, so that the texts of its ends have room: more than half of a year's number.
    private static let margin = 18.0

    static func svg(_ recording: StudiedRecording) -> String {
        let hosts = recording.timelines.prefix(mostHosts)
        var svg = SVG()
        let x = Scale(
            kind: .linear,
            values: Double(recording.first)...Double(max(recording.last, recording.first + 1)),
            from: margin,
            to: width - margin
        )
        let height = SVG.height(ofRows: hosts.count)
        for time in x.spaced(years(recording), gap: 2 * margin) {
            svg.rowGrid(x(time), rows: hosts.count)
            svg.text(
                x(time),
                height + 14,
                "\(Timestamp.text(unixSeconds: Int64(time)).prefix(4))",
                "tick",
                anchor: "middle"
            )
        }
        for (row, host) in hosts.enumerated() {
            let y = SVG.middle(ofRow: row)
            svg.rowName(margin, row, host.host)
            svg.line(x(Double(host.first)), y, x(Double(host.last)), y, "life")
            for change in host.changes {
                let (from, to) = (x(Double(change.after)), x(Double(change.by)))
                let days =
                    "\(Timestamp.text(unixSeconds: change.after).prefix(10)) to \(Timestamp.text(unixSeconds: change.by).prefix(10))"
                let title = "\(host.host): new \(change.kind.rawValue), \(days)"
                switch change.kind {
                case .leaf: svg.path([(to, y - 4), (to, y + 4)], "leaf-mark", title: title)
                case .issuer:
                    svg.line(from, y, to, y, "issuer-span")
                    svg.path(
                        [(to, y - 5.5), (to + 5.5, y), (to, y + 5.5), (to - 5.5, y)],
                        "issuer-mark",
                        title: title,
                        isClosed: true
                    )
                case .root:
                    svg.line(from, y, to, y, "root-span")
                    svg.path(
                        [(to - 5, y - 5), (to + 5, y - 5), (to + 5, y + 5), (to - 5, y + 5)],
                        "root-mark",
                        title: title,
                        isClosed: true
                    )
                }
            }
        }
        return svg.figure(
            id: "timeline",
            width: width,
            height: height + 22,
            title: "Changes of chain by host",
            description: description(recording)
        )
    }

    static func description(_ recording: StudiedRecording) -> String {
        let changes = recording.timelines.map { host in
            let kinds = [HostTimeline.Kind.leaf, .issuer, .root].map { kind in host.changes.count { $0.kind == kind } }
            return "\(host.host): \(kinds[0]) of the leaf alone, \(kinds[1]) of the issuer, \(kinds[2]) of the root"
        }
        return "Changes that were seen. " + changes.prefix(mostHosts).joined(separator: "; ") + "."
    }

    /// The first of January of each year inside the recording.
    private static func years(_ recording: StudiedRecording) -> [Double] {
        var marks: [Double] = []
        // Steps of a day are exact enough for a chart and need no calendar.
        var time = recording.first
        var year = Timestamp.text(unixSeconds: time).prefix(4)
        while time < recording.last, marks.count < 50 {
            time += 86_400
            let next = Timestamp.text(unixSeconds: time).prefix(4)
            if next != year { marks.append(Double(time - time % 86_400)) }
            year = next
        }
        return marks
    }
}
