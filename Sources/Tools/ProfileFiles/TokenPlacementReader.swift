internal import ChallengeHandling

/// Reads where the token of an account goes besides the answers to challenges.
enum TokenPlacementReader {
    /// The fields of an account that are read here.
    static let fields = ["field", "query", "referer"]

    /// The placement; `nil` for a token that answers challenges.
    static func placement(_ fields: [String: ProfileNode]) throws(ProfileFileError) -> TokenPlacement? {
        let node: ProfileNode
        var placement: TokenPlacement
        switch (fields["field"], fields["query"]) {
        case (nil, nil):
            if let node = fields["referer"] {
                throw node.error("has no effect without 'field' or 'query': add one of them, or remove it")
            }
            return nil
        case (let field?, nil): (node, placement) = (field, TokenPlacement(.field(try field.text())))
        case (nil, let query?): (node, placement) = (query, TokenPlacement(.query(try query.text())))
        case (_?, let query?): throw query.error("a token goes to one place: remove 'field' or 'query'")
        }
        if let defect = placement.defect { throw node.error("\(defect)") }
        if let referer = fields["referer"] {
            placement.referer = try referer.text()
            if let defect = placement.defect { throw referer.error("\(defect)") }
        }
        return placement
    }
}
