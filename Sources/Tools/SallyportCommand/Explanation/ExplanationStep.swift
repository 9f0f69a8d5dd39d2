internal import OfflineVerbs

/// One step of a request's story.
struct ExplanationStep: Sendable {
    /// What the step is about, in one word.
    let topic: String
    /// What happened, in one line. It holds no secret.
    var text: String
    /// The lines below: what was passed over and why.
    var details: [String] = []
    /// The members of its JSON object besides topic and text.
    var members: [(name: String, value: JSONValue)] = []

    /// The lines of a table whose first column has `width`.
    func lines(width: Int) -> [String] {
        let label = topic + String(repeating: " ", count: max(0, width - topic.count))
        let margin = String(repeating: " ", count: width)
        return ["\(label)  \(text.inOneLine)"] + details.map { "\(margin)    \($0.inOneLine)" }
    }

    /// One JSON object in one line.
    var json: String {
        var all = [("step", JSONValue.string(topic))] + members
        all.append(("text", .string(text)))
        if !details.isEmpty { all.append(("details", .array(details.map(JSONValue.string)))) }
        return JSONValue.object(all).text
    }
}
