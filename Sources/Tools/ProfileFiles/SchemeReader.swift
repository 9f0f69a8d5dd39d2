internal import ChallengeHandling
internal import HTTPAuthentication

/// Reads lists of schemes.
enum SchemeReader {
    static func schemes(_ node: ProfileNode) throws(ProfileFileError) -> [AuthenticationScheme] {
        var schemes: [AuthenticationScheme] = []
        for element in try node.sequence() {
            let scheme = AuthenticationScheme(try element.text())
            guard answerable.contains(scheme) else {
                let names = answerable.map(\.name).sorted().joined(separator: ", ")
                throw element.error("the scheme is not supported: choose from \(names)")
            }
            guard !schemes.contains(scheme) else { throw element.error("the scheme occurs twice: remove one") }
            schemes.append(scheme)
        }
        return schemes
    }

    private static var answerable: [AuthenticationScheme] { AnswerableScheme.standard.map(\.name) }
}
