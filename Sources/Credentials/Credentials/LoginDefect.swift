internal import WireFormat

/// A user name with more than one backslash. A person writes `jdoe`, `ACME\jdoe` or `jdoe@acme.example`.
///
/// Two backslashes mostly come from a shell, a file or a page that doubles them.
package struct LoginDefect: Error, Equatable, Sendable {
    private let login: String

    /// - Returns: `nil` for a name with one backslash at most.
    package init?(_ login: String) {
        guard login.count(where: { $0 == "\\" }) > 1 else { return nil }
        self.login = login
    }
}

extension LoginDefect: CustomStringConvertible {
    /// One line: what was written, the problem and the remedy.
    package var description: String {
        let parts = login.split(separator: "\\")
        let short = parts.joined(separator: "\\")
        // A name that is shown in quotes has doubled backslashes itself.
        let remedy = parts.count == 2 && VisibleText.name(short) == short ? short : #"DOMAIN\USER"#
        return #"\#(VisibleText.name(login)) has more than one '\': write \#(remedy)"#
    }
}
