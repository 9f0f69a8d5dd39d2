import LatencyCurves
import TestLimits
import TestSupport
import Testing

@Suite(.inTurn) struct LatencyPageTests {
    private static func page() throws -> String {
        let operations = ["SiteTrie.verdict/hit", "<b>&", "Pin.init/chain-0"]
        return try RunFixture.run(operations).page(against: RunFixture.run(operations, shift: 30))
    }

    @Test func namesStayTexts() throws {
        let page = try Self.page()
        #expect(!page.contains("<b>&<") && page.contains("&lt;b&gt;&amp;"))
        #expect(page.contains("a machine &amp; &lt;more&gt;"))
    }

    @Test func everyOperationHasAPictureThatIsToldInWords() throws {
        let page = try Self.page()
        #expect(
            page.matches(of: /<desc id="latency-[0-9]-d">This run, closed loop: p50 1[0-9]+ ns, [^<]{40,}<\/desc>/)
                .count
                == 3
        )
        for line in ["late", "late late-open", "early", "early early-open"] {
            #expect(page.matches(of: try Regex("<path class=\"\(line)\"")).count == 3, "\(line)")
        }
    }

    @Test func withoutASavedRunThereIsOneColour() throws {
        let page = try RunFixture.run(["a"]).page(against: nil)
        #expect(page.matches(of: /<path class="late/).count == 2)
        #expect(!page.contains("<path class=\"early"))
    }

    @Test(
        "In Chromium: curves are there, nothing is fetched, the console stays silent",
        .enabled(if: Chromium.isInstalled, "\(Chromium.isMissing)"),
        arguments: Chromium.views
    )
    func chromium(width: Int, theme: Chromium.Theme) throws {
        let result = try Chromium.load(Self.page(), width: width, theme: theme)
        #expect(result.requests == [])
        #expect(!result.log.contains("CONSOLE"), "\(result.log)")
        #expect(result.document.matches(of: /<path class="(early|late)[^"]*" d="M[^"]*L[^"]*L[^"]*"/).count == 12)
        #expect(result.screenshot.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(result.screenshot.count > 20_000)
    }
}
