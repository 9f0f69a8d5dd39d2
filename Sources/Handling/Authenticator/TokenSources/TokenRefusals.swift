internal import ChallengeHandling
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
/// | accepted somewhere since it came | not closed; the last token was got in vain | is got at the second refusal without an acceptance between |
/// | the same, and new | not closed; the last *n* tokens were got in vain | is got at refusal 2^*n* in a row, at most 64 |
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
    /// How many tokens in a row did not help the pages for which they were got.
    private var inVain = 0
    /// Whether the token in use is one of them.
    private var isInVain = false
    /// How often the number of refusals in a row for which a new token waits is doubled: up to 64 refusals.
    private static let mostDoublings = 6

    /// Takes a refusal of the token in use. Returns whether the next token may help.
    ///
    /// - Parameters:
    ///   - page: the page that refused it.
    ///   - wasAccepted: whether a party has accepted the token.
    ///   - isNew: whether the token is younger than the margin.
    ///   - now: seconds since 1970.
    mutating func refused(at page: Page, wasAccepted: Bool, isNew: Bool, now: Int64) -> Bool {
        // Also of a clock that was put back: it closes no page for longer.
        closed.removeAll { now < $0.since || $0.since + Self.closedSeconds <= now }
        if wasAccepted, closed.contains(where: { $0.page == page }) { return false }
        let hadOther = refusedBefore.contains(page)
        if isNew, hadOther || !wasAccepted {
            close(page, now)
            if hadOther, !isInVain { (isInVain, inVain) = (true, inVain + 1) }
            return false
        }
        Self.insert(page, into: &refusing)
        guard wasAccepted else { return true }
        inARow += 1
        return inARow >= Self.enough(after: inVain, isNew: isNew)
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
            inVain = 0
        }
    }

    /// Another token is in use now.
    mutating func tokenChanged() {
        refusedBefore = refusing
        refusing = []
        (inARow, isInVain) = (0, false)
    }

    /// How many refusals in a row ask for the next token.
    private static func enough(after inVain: Int, isNew: Bool) -> Int {
        isNew ? 1 << min(inVain, mostDoublings) : min(inVain, 1) + 1
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
