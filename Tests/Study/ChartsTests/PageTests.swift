import Charts
import Testing

@Suite struct PageTests {
    @Test func aTitleIsTextAndThePageIsClosed() {
        let page = Page.document(title: "<script>", content: "<p>content</p>")
        #expect(!page.contains("<script>"))
        #expect(page.contains("<h1>&lt;script&gt;</h1>\n<p>content</p>\n</main>"))
        #expect(page.contains("default-src 'none'"))
    }
}
