internal import Hostnames

/// What refusals of the tokens of one place tell: whether the next token may help, or a page is closed to the account.
///
/// Some servers answer a missing permission with 401 and without the word `insufficient_scope` (RFC 6750 section 3.1), as if the token had
/// ended. A page that also refuses a new token is closed, and its refusals count no more. A token is never withheld: no directory counts
/// its refusals, so each request shows anew what the page says.
///
/// | token | page | next token |
/// |---|---|---|
/// | accepted somewhere since it came | not closed | is got |
/// | accepted somewhere since it came | not closed; an earlier token was got in vain | is got at the second refusal without an acceptance between |
/// | accepted somewhere since it came | closed | is not got |
/// | accepted nowhere, and new | any: it is closed now | is not got |
/// | accepted nowhere, and older than the margin | any | is got |
struct TokenRefusals: Sendable {
    /// A page of a server or proxy.
    struct Page: Equatable, Sendable {
        let origin: Origin
        /// Without the query.
        let path: String

        init(_ request: ChallengedRequest) { (origin, path) = (request.origin, request.withheldPath.text) }

        init(origin: Origin, path: String) { (self.origin, self.path) = (origin, path) }
    }

    private struct Closed {
        let page: Page
        /// Seconds since 1970.
        let since: Int64
    }

    /// The most pages of each kind; beyond it the oldest is dropped.
    static let maximumPages = 64
    /// How long a page is taken for closed, in seconds. After that a refusal may bring a new token once more.
    static let closedSeconds: Int64 = 300

    private var closed: [Closed] = []
    /// The pages that refused the token in use.
    private var refusing: [Page] = []
    /// The pages that refused the token before it, and have not accepted the one in use.
    private var refusedBefore: [Page] = []
    /// Refusals by pages that are not closed, with no acceptance since.
    private var inARow = 0
    /// Whether the last token that was got for a page did not help there.
    private var wasInVain = false

    /// Takes a refusal of the token in use. Returns whether the next token may help.
    ///
    /// - Parameters:
    ///   - page: the page that refused it.
    ///   - wasAccepted: whether a party has accepted the token.
    ///   - isNew: whether the token is younger than the margin.
    ///   - now: seconds since 1970.
    mutating func refused(at page: Page, wasAccepted: Bool, isNew: Bool, now: Int64) -> Bool {
        closed.removeAll { $0.since + Self.closedSeconds <= now }
        if wasAccepted, closed.contains(where: { $0.page == page }) { return false }
        let hadOther = refusedBefore.contains(page)
        if isNew, hadOther || !wasAccepted {
            close(page, now)
            if hadOther { wasInVain = true }
            return false
        }
        Self.insert(page, into: &refusing)
        guard wasAccepted else { return true }
        inARow += 1
        return inARow >= (wasInVain ? 2 : 1)
    }

    /// Takes a refusal of the token that the one in use has replaced.
    mutating func refusedLast(_ page: Page) { Self.insert(page, into: &refusedBefore) }

    /// Takes an acceptance of the token in use.
    mutating func accepted(at page: @autoclosure () -> Page) {
        inARow = 0
        guard !closed.isEmpty || !refusedBefore.isEmpty else { return }
        let page = page()
        closed.removeAll { $0.page == page }
        if let index = refusedBefore.firstIndex(of: page) {
            refusedBefore.remove(at: index)
            wasInVain = false
        }
    }

    /// Another token is in use now.
    mutating func tokenChanged() {
        refusedBefore = refusing
        refusing = []
        inARow = 0
    }

    private mutating func close(_ page: Page, _ now: Int64) {
        closed.removeAll { $0.page == page }
        if closed.count == Self.maximumPages { closed.removeFirst() }
        closed.append(Closed(page: page, since: now))
    }

    private static func insert(_ page: Page, into pages: inout [Page]) {
        guard !pages.contains(page) else { return }
        if pages.count == maximumPages { pages.removeFirst() }
        pages.append(page)
    }
}
