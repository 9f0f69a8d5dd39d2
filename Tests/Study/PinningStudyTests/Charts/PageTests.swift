import PinningStudy
import Testing

@Suite struct PageTests {
    @Test func aTitleIsTextAndThePageIsClosed() {
        let page = Page.document(title: "<script>", content: "<p>content</p>")
        #expect(!page.contains("<script>"))
        #expect(page.contains("<h1>&lt;script&gt;</h1>\n<p>content</p>\n</main>"))
        #expect(page.contains("default-src 'none'"))
    }

    @Test func aNumberKeepsItsPercentSign() {
        #expect(
            Page.document(title: "t", content: "<p>99.9 % of 5 %, % 7</p>").contains("99.9\u{A0}% of 5\u{A0}%, % 7")
        )
    }
}
