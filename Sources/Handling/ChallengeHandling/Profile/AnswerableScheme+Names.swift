internal import HTTPAuthentication

extension AnswerableScheme {
    /// The schemes called `names`, in the same order.
    static func resolve(
        _ names: [AuthenticationScheme],
        in available: [AnswerableScheme]
    ) throws(ProfileError) -> [AnswerableScheme] {
        var found: [AnswerableScheme] = []
        for name in names {
            guard let scheme = available.first(where: { $0.name == name }) else { throw .schemeNotAnswerable(name) }
            guard !found.contains(where: { $0.name == name }) else { throw .duplicateScheme(name) }
            found.append(scheme)
        }
        return found
    }
}
