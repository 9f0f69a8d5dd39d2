import PinningStudy
import Testing

@Suite struct SVGTests {
    @Test func textsAreEscapedWhereverTheyStand() {
        var svg = SVG()
        svg.text(1, 2, "<a & \"b\">")
        svg.circle(1, 2, 3, "mark", title: "'c'")
        let figure = svg.figure(id: "f", width: 10, height: 20, title: "<t>", description: "\u{1B}[2J")
        #expect(figure.contains(">&lt;a &amp; &quot;b&quot;&gt;</text>"))
        #expect(figure.contains("<title>&#39;c&#39;</title>"))
        #expect(figure.contains("<title id=\"f-t\">&lt;t&gt;</title>"))
        #expect(!figure.contains("\u{1B}"))
    }

    @Test(arguments: [(0.0, "0"), (1.5, "1.5"), (-0.04, "-0.04"), (12.345, "12.35"), (2.999, "3")])
    func numbersHaveTwoPlacesAtMost(value: Double, text: String) { #expect(SVG.number(value) == text) }

    @Test(arguments: [("host", "host"), ("hostname", "hostname"), ("hostnames", "hostnam…")])
    func aLongTextIsShortened(text: String, shortened: String) { #expect(SVG.shortened(text, to: 8) == shortened) }

    @Test func aPathBeginsAndGoesOn() {
        var svg = SVG()
        svg.path([(0, 1), (2, 3.5)], "late", isClosed: true)
        #expect(svg.marks.contains("d=\"M0 1L2 3.5Z\""))
    }
}
