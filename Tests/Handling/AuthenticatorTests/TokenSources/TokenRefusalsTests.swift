import Hostnames
import Sallyport
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// What refusals of a place's tokens tell.
@Suite struct TokenRefusalsTests {
    /// A reference, because `#expect` takes its expressions apart.
    private final class Subject {
        private var refusals = TokenRefusals()

        func refused(at page: TokenRefusals.Page, wasAccepted: Bool, isNew: Bool, now: Int64) -> Bool {
            refusals.refused(at: page, wasAccepted: wasAccepted, isNew: isNew, now: now)
        }

        func refusedLast(_ page: TokenRefusals.Page) { refusals.refusedLast(page) }
        func accepted(at page: TokenRefusals.Page) { refusals.accepted(at: page) }
        func tokenChanged() { refusals.tokenChanged() }
    }

    private let origin: Origin

    init() throws { origin = try Origin(parsing: "https://api.acme.example") }

    private func page(_ path: String) -> TokenRefusals.Page { TokenRefusals.Page(origin: origin, path: path) }

    @Test("A token that no page has accepted: not while it is new, and once it is old") func neverAccepted() {
        let refusals = Subject()
        #expect(!refusals.refused(at: page("/a"), wasAccepted: false, isNew: true, now: 0))
        #expect(!refusals.refused(at: page("/b"), wasAccepted: false, isNew: true, now: 59))
        // Also at a page that is closed: it may have been the token.
        #expect(refusals.refused(at: page("/a"), wasAccepted: false, isNew: false, now: 60))
    }

    @Test("An accepted token: once, then the page is closed for its time") func accepted() {
        let refusals = Subject()
        #expect(refusals.refused(at: page("/a"), wasAccepted: true, isNew: false, now: 0))
        refusals.tokenChanged()
        // Also if another page has accepted the new one meanwhile.
        #expect(!refusals.refused(at: page("/a"), wasAccepted: true, isNew: true, now: 0))
        refusals.accepted(at: page("/b"))
        #expect(!refusals.refused(at: page("/a"), wasAccepted: true, isNew: false, now: 299))
        // After it, the second refusal in a row counts, because the last token came in vain.
        #expect(!refusals.refused(at: page("/a"), wasAccepted: true, isNew: false, now: 300))
        #expect(refusals.refused(at: page("/a"), wasAccepted: true, isNew: false, now: 301))
    }

    @Test("An acceptance opens a closed page, and ends a row of refusals") func opened() {
        let refusals = Subject()
        #expect(refusals.refused(at: page("/a"), wasAccepted: true, isNew: false, now: 0))
        refusals.tokenChanged()
        #expect(!refusals.refused(at: page("/a"), wasAccepted: false, isNew: true, now: 0))
        #expect(!refusals.refused(at: page("/b"), wasAccepted: true, isNew: true, now: 0))
        refusals.accepted(at: page("/c"))
        #expect(!refusals.refused(at: page("/b"), wasAccepted: true, isNew: true, now: 0))
        // The token has helped where it was got for.
        refusals.accepted(at: page("/a"))
        #expect(refusals.refused(at: page("/a"), wasAccepted: true, isNew: true, now: 0))
    }

    @Test("A page that meets the last token late is closed by the next refusal") func late() {
        let refusals = Subject()
        refusals.refusedLast(page("/a"))
        #expect(!refusals.refused(at: page("/a"), wasAccepted: true, isNew: true, now: 0))
        refusals.refusedLast(page("/b"))
        refusals.accepted(at: page("/b"))
        #expect(refusals.refused(at: page("/b"), wasAccepted: true, isNew: true, now: 0))
    }

    @Test("Pages are bounded: the oldest of many is open again") func bounded() {
        let refusals = Subject()
        for number in 0...TokenRefusals.maximumPages {
            #expect(!refusals.refused(at: page("/\(number)"), wasAccepted: false, isNew: true, now: 0))
        }
        #expect(!refusals.refused(at: page("/1"), wasAccepted: true, isNew: false, now: 0))
        #expect(refusals.refused(at: page("/0"), wasAccepted: true, isNew: false, now: 0))
    }
}
