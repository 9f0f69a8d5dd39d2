import Hostnames
import MatrixClients

/// A request of a row.
struct RowRequest: Sendable {
    private let body: MatrixRequest.Body
    private let length: Int?
    /// Whether the caller leaves when the server hangs.
    let leaves: Bool

    init(_ text: String, row: String) throws {
        var words = text.split(separator: " ").map(String.init)
        leaves = words.last == "leaves"
        if leaves { words.removeLast() }
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
