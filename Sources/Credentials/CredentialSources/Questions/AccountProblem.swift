internal import WireFormat

/// Why the account that a source, a person or the store gave cannot answer a challenge. Its password was not sent.
public enum AccountProblem: Hashable, Sendable {
    /// The party requires an account of a domain; it names this one.
    case domainRequired(target: String)
    /// The scheme cannot express the user name, for example one with a colon in Basic.
    case userNotRepresentable
    /// The scheme cannot express the password, for example one with a control character.
    case passwordNotRepresentable

    /// One line: the problem, and what to write instead.
    ///
    /// - Parameter user: the user name of the account; `nil` if it is not known.
    package func text(user: String?) -> String {
        switch self {
        case .domainRequired(let target):
            // A name that is shown in quotes has doubled backslashes, and would be typed with them.
            let (domain, user) = (Self.plain(target) ?? "DOMAIN", user.flatMap(Self.plain) ?? "USER")
            return "The account needs a domain: write \(domain)\\\(user), or \\\(user) if it has none."
        case .userNotRepresentable:
            return "The user name cannot be written in the scheme of the challenge: give another one."
        case .passwordNotRepresentable:
            return "The password cannot be written in the scheme of the challenge: give another one."
        }
    }

    /// A name that a message can show as it is; `nil` for another one.
    private static func plain(_ name: String) -> String? {
        name.isEmpty || VisibleText.name(name) != name ? nil : name
    }
}
