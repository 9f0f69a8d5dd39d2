import Hostnames
import MatrixClients

/// A request of a row.
struct RowRequest: Sendable {
    private let body: MatrixRequest.Body
    private let length: Int?
    let course: Course

    /// What happens while the request is under way.
    enum Course: String, Sendable {
        /// The next request begins after this one.
        case alone
        /// The caller leaves when the server hangs.
        case leaves
        /// The next request is written behind this one, before anything has come back.
        case piped
        /// The next request begins when the server holds its reply to this one.
        case held
        /// The server gives the reply that it holds when this request waits for another one's attempt.
        case waits
    }

    init(_ text: String, row: String) throws {
        var words = text.split(separator: " ").map(String.init)
        let course = words.last.flatMap(Course.init)
        if course != nil { words.removeLast() }
        self.course = course ?? .alone
        length = words.count > 1 ? Int(words[1]) : nil
        switch (words.first, words.dropFirst(2).first, words.count) {
        case ("GET", nil, 1): body = .none
        case ("POST", nil, 2) where length != nil: body = .kept
        case ("POST", "once", 3) where length != nil: body = .once
        default: throw RowError(row: row, problem: "request \(text)")
        }
    }

    func sent(to origin: Origin) -> MatrixRequest { MatrixRequest(origin: origin, body: body, length: length) }
}
