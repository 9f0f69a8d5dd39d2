internal import WireFormat

/// Why a text is no user name as a person writes it: `jdoe`, `ACME\jdoe` or `jdoe@acme.example`.
///
/// A name with two backslashes is mostly one that a shell, a file or a page has shown in its own way of writing.
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
        let remedy = parts.count == 2 ? VisibleText.name(parts.joined(separator: "\\")) : #"DOMAIN\USER"#
        return #"\#(VisibleText.name(login)) has more than one '\': write \#(remedy)"#
    }
}
