internal import NIOHTTP1
internal import OfflineVerbs
internal import Sallyport
internal import SallyportClient

/// What became of a request.
struct GetReport: Sendable {
    let story: ResponseExplanation
    /// The URL of the response, without its query, which may hold a secret.
    let url: String
    private let version: HTTPVersion
    /// Empty for a server that did not prove itself: anybody in its place could set a cookie, or lead somewhere.
    private let fields: [(name: String, value: String)]
    private var bytes: UInt64 = 0
    /// Whether the page of a refusal has not come whole.
    private(set) var isCut = false

    /// - Parameter handler: knows the tokens that went along, which the server may have repeated in a field.
    init(_ response: ClientResponse, _ story: ResponseExplanation, _ url: RequestURL, _ handler: ChallengeHandler) {
        self.story = story
        self.url = ResponseExplanation.url(of: response, url)
        version = response.version
        fields =
            story.isUnproven
            ? []
            : response.headers.map {
                ($0.name, handler.hidingPlacedTokens(in: $0.value, by: Transcript.redacted))
            }
    }

    /// The same after so many bytes of body.
    func with(bytes: UInt64, isCut: Bool = false) -> GetReport {
        var report = self
        (report.bytes, report.isCut) = (bytes, isCut)
        return report
    }

    /// The status line and the fields, with an empty line at the end; empty for a server that did not prove itself.
    var head: String {
        guard !story.isUnproven else { return "" }
        let lines = ["HTTP/\(version.major).\(version.minor) \(story.statusText)"]
        return (lines + fields.map { "\($0.name): \($0.value)".inOneLine }).joined(separator: "\n") + "\n\n"
    }

    /// - Parameter output: the file that has the body, if it has.
    func json(output: String?) -> String {
        let fields = fields.map { JSONValue.array([.string($0.name), .string($0.value)]) }
        return JSONValue.object([
            ("url", .string(url)), ("status", .integer(UInt64(story.status.code))),
            ("authentication", .string(story.word)), ("refusal", JSONValue(story.code)),
            ("problem", JSONValue(story.problem)), ("bytes", .integer(bytes)),
            ("output", JSONValue(story.isSuccess ? output : nil)), ("fields", .array(fields)),
        ]).text + "\n"
    }

    static func json(of failure: RequestFailure) -> String {
        JSONValue.object([("status", .null), ("problem", .string(failure.text))]).text + "\n"
    }
}
