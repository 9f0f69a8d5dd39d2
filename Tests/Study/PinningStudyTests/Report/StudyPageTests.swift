import Corpora
import Foundation
import PinningStudy
import TestLimits
import TestSupport
import Testing

@Suite(.inTurn) struct StudyPageTests {
    /// Made once, because a study takes seconds in a debug build.
    private static let pages = Result {
        var parameters = StudyParameters()
        parameters.resamplings = 30
        return try ShippedChainRecording.allCases.reduce(into: [ShippedChainRecording: String]()) {
            $0[$1] = try StudyReport(Study(ChainHistory($1.load()), parameters: parameters)).page
        }
    }

    private static func page(_ recording: ShippedChainRecording = .publicSites) throws -> String {
        try #require(pages.get()[recording])
    }

    @Test func thePageNamesNothingToFetchOrRun() throws {
        let page = try Self.page()
        for word in ["<script", "src=", "href=", "url(", "@import", "http://", "https://", "<link", "<iframe", " on"] {
            let found = word == " on" ? page.contains(/<[^>]* on[a-z]+=/) : page.contains(word)
            #expect(!found, "\(word)")
        }
        #expect(page.contains("default-src 'none'"))
    }

    @Test func everyPictureIsToldInWords() throws {
        let page = try Self.page()
        // Eight survival curves, the timeline, outage against exposure, latencies.
        #expect(page.matches(of: /<svg role="img" aria-labelledby="[a-z0-9-]+ [a-z0-9-]+"/).count == 11)
        #expect(page.matches(of: /<desc id="[a-z0-9-]+">[^<]{20,}<\/desc>/).count == 11)
    }

    @Test func textsOfARecordingStayTexts() throws {
        let folder = try ThreeHosts().folder
        defer { try? FileManager.default.removeItem(at: folder) }
        let hostile = #"{"name":"<script>alert(1)</script> & \"more\"","origin":"<img src=x>","time":"\u001b[2J"}"#
        try Data(hostile.utf8).write(to: folder.appending(path: "recording.json"))
        let history = ChainHistory(try ChainRecording(folder: folder))
        let page = StudyReport(Study(history)).page
        #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("\u{1B}"))
        #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;"))
    }

    @Test(
        "A page that fetches something, or says something in the console, is noticed",
        .enabled(if: Chromium.isInstalled, "\(Chromium.isMissing)")
    )
    func fetchingIsNoticed() throws {
        let page = "<!doctype html><img src='http://127.0.0.1:9/x.png'><script>console.error('no')</script>"
        let result = try Chromium.load(page, width: 360, theme: .light)
        #expect(result.requests.contains("http://127.0.0.1:9/x.png"))
        #expect(result.log.contains("CONSOLE"))
    }

    @Test("A page that is too wide is noticed", .enabled(if: Chromium.isInstalled, "\(Chromium.isMissing)"))
    func widthIsNoticed() throws {
        let page = "<!doctype html><body style='margin:0'><div style='width:500px'>wide</div>"
        #expect(try Chromium.load(page, width: 360, theme: .light).scrollWidth == 500)
    }

    @Test(
        "A text that is cut or overlaps another is noticed",
        .enabled(if: Chromium.isInstalled, "\(Chromium.isMissing)")
    )
    func flawsAreNoticed() throws {
        let page = """
            <!doctype html><svg viewBox="0 0 100 40" width="100" style="font-size:10px"><text x="-9" y="20">left</text>
            <text x="40" y="20">one</text><text x="44" y="22">two</text><text x="40" y="38" class="row">far</text>
            <line class="grid" x1="45" x2="45" y1="20" y2="40"/><line class="grid" x1="20" x2="20" y1="0" y2="40"/></svg>
            <p style="width:1em">9 %</p>
            <div class="scroll" aria-label="table" style="width:100px;overflow-x:auto"><div style="width:101px">x</div></div>
            """
        let flaws = try Chromium.load(page, width: 360, theme: .light).flaws
        #expect(flaws == ["clipped: left", "overlap: one and two", "crossed: far", "parted: 9 %", "wide: table"])
    }

    @Test("No mark stands beyond the numbers of its axis", arguments: ShippedChainRecording.allCases)
    func ticks(recording: ShippedChainRecording) throws {
        let charts = try Self.page(recording).matches(
            of: /<svg [^>]*aria-labelledby="([a-z]+)[^>]*>(.*?)<\/svg>/.dotMatchesNewlines()
        )
        .filter { $0.1 != "timeline" }
        #expect(charts.count == 10)
        for (_, name, text) in charts.map(\.output) {
            let numbers = text.matches(of: /<text class="tick" x="([0-9.]+)" y="([0-9.]+)" text-anchor="(middle|end)">/)
            let right = numbers.filter { $0.3 == "middle" }.compactMap { Double($0.1) }.max() ?? 0
            let marks = text.matches(of: /<circle [^>]*cx="([0-9.]+)" cy="([0-9.]+)"/).map { ($0.1, $0.2) }
            let whiskers = text.matches(of: /class="whisker" x1="([0-9.]+)" y1="([0-9.]+)" x2="[0-9.]+" y2="([0-9.]+)"/)
            let curves = text.matches(of: /[ML]([0-9.]+) ([0-9.]+)/).map { ($0.1, $0.2) }
            let points = marks + curves + whiskers.flatMap { [($0.1, $0.2), ($0.1, $0.3)] }
            #expect(points.count > 5, "\(name)")
            #expect(points.compactMap { Double($0.0) }.allSatisfy { $0 <= right + 0.01 }, "\(name): right of \(right)")
            // The baseline of a number is 4 below its place.
            guard let top = numbers.filter({ $0.3 == "end" }).compactMap({ Double($0.2) }).min() else { continue }
            #expect(points.compactMap { Double($0.1) }.allSatisfy { $0 >= top - 4.01 }, "\(name): above \(top - 4)")
        }
    }

    @Test(
        "No text of a chart is cut or overlaps another, and no table is cut",
        .enabled(if: Chromium.isInstalled, "\(Chromium.isMissing)"),
        arguments: ShippedChainRecording.allCases,
        [1280, 800]
    )
    func layout(recording: ShippedChainRecording, width: Int) throws {
        #expect(try Chromium.load(Self.page(recording), width: width, theme: .light).flaws == [])
    }

    @Test(
        "In Chromium the page has marks, loads no files and logs no messages",
        .enabled(if: Chromium.isInstalled, "\(Chromium.isMissing)"),
        arguments: Chromium.views
    )
    func chromium(width: Int, theme: Chromium.Theme) throws {
        let result = try Chromium.load(Self.page(), width: width, theme: theme)
        #expect(result.requests == [])
        #expect(!result.log.contains("CONSOLE"), "\(result.log)")
        // Every survival chart has both curves, with more than one step, as drawn.
        #expect(result.document.matches(of: /<path class="(early|late)" d="M[^"]*L[^"]*L[^"]*"/).count == 16)
        #expect(result.document.matches(of: /<circle class="(front-)?mark"/).count >= 8 * 5)
        #expect(result.document.matches(of: /<path class="(leaf|issuer|root)-mark"/).count > 100)
        // Nothing but the table scrolls sideways, and that within itself.
        #expect(result.scrollWidth == width)
        // A picture of one colour would be an empty page: this one does not compress to nothing.
        #expect(result.screenshot.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(result.screenshot.count > 50_000)
    }
}
