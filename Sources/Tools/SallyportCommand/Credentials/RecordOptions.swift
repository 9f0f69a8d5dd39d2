internal import ArgumentParser
internal import CredentialStores
internal import Credentials
internal import Hostnames
internal import InternationalHostnames
internal import WireFormat

/// Which record of a store: where it applies, and whose it is.
struct RecordOptions: ParsableArguments {
    @Argument(help: "The server, such as https://wiki.example or https://wiki.example:8443.")
    var url: String

    @Option(help: #"The user: jdoe, 'ACME\jdoe' or jdoe@acme.example. A token needs none."#)
    var user: String = ""

    @Option(help: "Only one realm of the server, byte by byte as its challenge names it; by default all realms.")
    var realm: String?

    @Option(
        help:
            "Only this path, such as acme/wiki.git: git's requests with credential.useHttpPath, and places of a profile whose rule names it."
    )
    var path: String?

    @Flag(help: "The URL is that of a proxy.")
    var proxy = false

    func validate() throws {
        // Repairing the bytes would name another account. The texts are not shown, because they may hold a secret.
        for (name, text) in [("the URL", url), ("--user", user), ("--realm", realm ?? ""), ("--path", path ?? "")]
        where !SystemPath.isUTF8(text) {
            throw ValidationError("Write \(name) in UTF-8.")
        }
        if realm != nil, path != nil { throw ValidationError("Give --realm or --path: a record is for one of them.") }
    }

    /// Where the record applies.
    func space() throws(RecordProblem) -> CredentialSpace {
        let origin = try origin()
        let party: CredentialSpace.Party = proxy ? .proxy : .origin
        if let trimmedPath { return .path(trimmedPath, of: origin, party: party) }
        return realm.map { .realm($0, of: origin, party: party) } ?? .origin(origin, party: party)
    }

    /// The path as Git names it: without slashes at its start and end.
    var trimmedPath: String? {
        guard let path else { return nil }
        let start = path.drop { $0 == "/" }
        return String(start.reversed().drop { $0 == "/" }.reversed())
    }

    /// Scheme, host and port of the URL.
    func origin() throws(RecordProblem) -> Origin {
        // The slash that browsers show names no path.
        let text = url.hasSuffix("/") && !url.hasSuffix("//") ? String(url.dropLast()) : url
        do throws(OriginError) {
            return try Origin(parsing: text, hosts: .international)
        } catch {
            throw RecordProblem.url(error)
        }
    }

    /// User and domain.
    var login: Login { Login(user) }
}

/// A user name as a person writes it: `ACME\jdoe` has a domain.
struct Login: Equatable {
    let user: String
    let domain: String?

    init(_ text: String) {
        guard let backslash = text.firstIndex(of: "\\") else {
            (user, domain) = (text, nil)
            return
        }
        user = String(text[text.index(after: backslash)...])
        // Empty in `\jdoe`: the account says that it has no domain.
        domain = String(text[..<backslash])
    }

    init(_ name: CredentialName) { (user, domain) = (name.user, name.domain) }

    /// `ACME\jdoe`, or the user alone.
    var text: String { domain.map { "\($0)\\\(user)" } ?? user }

    /// Byte by byte, as stores compare names.
    static func == (left: Login, right: Login) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
}

/// Why the arguments name no record.
enum RecordProblem: Error, Equatable {
    case url(OriginError)
    case noUser
    case user(LoginDefect)
}

extension RecordProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .url(let error): "URL: \(error)"
        case .user(let defect): "--user: \(defect)"
        case .noUser: "--user: a password belongs to a user: name one"
        }
    }
}
