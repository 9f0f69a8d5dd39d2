internal import AllowedSites
internal import ChallengeHandling
internal import Credentials
internal import Foundation
internal import HTTPAuthentication
internal import Secrets
internal import WireFormat

/// Reads one account of a profile, and its secret.
struct AccountReader {
    let paths: ProfilePaths
    let secrets: SecretRules

    func assignment(_ node: ProfileNode) throws(ProfileFileError) -> AccountAssignment {
        let known =
            ["name", "user", "domain", "form", "password", "nt-hash", "token", "sites"] + AccountRulesReader.fields
            + TokenPlacementReader.fields
        let fields = try node.mapping(known: known)
        let name = try fields.required("name", in: node).text()
        // A token belongs to a user whose name is not sent.
        let user = try fields["token"] != nil && fields["user"] == nil ? name : fields.required("user", in: node).text()
        let account = Account(
            name: name,
            user: user,
            // An empty text says that the account has no domain.
            domain: try fields["domain"]?.text(mayBeEmpty: true),
            credential: try credential(fields, node),
            userForm: try userForm(fields, user: user)
        )
        var assignment = AccountAssignment(account, sites: try SiteRuleReader.rules(fields, node))
        assignment.placement = try placement(fields)
        if let node = fields["schemes"] { assignment.schemes = try SchemeReader.schemes(node) }
        try AccountRulesReader.read(fields, paths, into: &assignment)
        return assignment
    }

    /// Where the token goes; `nil` for an account that answers challenges.
    private func placement(_ fields: [String: ProfileNode]) throws(ProfileFileError) -> TokenPlacement? {
        guard let placement = try TokenPlacementReader.placement(fields) else { return nil }
        if fields["token"] == nil, let node = fields["field"] ?? fields["query"] {
            throw node.error("only a token can be placed: give 'token', or remove it")
        }
        for name in AccountRulesReader.fields where name != "cleartext" {
            guard let node = fields[name] else { continue }
            throw node.error("the token goes with each request, and answers no challenge: remove it")
        }
        return placement
    }

    private func credential(
        _ fields: [String: ProfileNode],
        _ parent: ProfileNode
    ) throws(ProfileFileError) -> Credential {
        switch (fields["password"], fields["nt-hash"], fields["token"]) {
        case (let password?, nil, nil): return .password(try secret(password))
        case (nil, let hash?, nil): return .ntHash(try ntHash(hash))
        case (nil, nil, let token?): return .token(try self.token(token))
        // Of a ticket the system's cache keeps the secret.
        case (nil, nil, nil) where try fields["kerberos"].map(AccountRulesReader.standsAlone) == true: return .ticket
        case (nil, nil, nil): throw parent.error("'password' is missing: name its file, or give 'nt-hash' or 'token'")
        case (_, let second?, _), (_, nil, let second?):
            throw second.error("an account has one of 'password', 'nt-hash' and 'token': remove the others")
        }
    }

    private func token(_ node: ProfileNode) throws(ProfileFileError) -> SharedSecret {
        let token = try secret(node)
        guard BearerExchange.value(of: token) != nil else {
            throw node.error("the token is empty, or has blanks or characters outside ASCII: write the token alone")
        }
        return token
    }

    private func ntHash(_ node: ProfileNode) throws(ProfileFileError) -> SharedSecret {
        let text = try secret(node)
        let hash: SecretBytes? = text.withBytes { bytes in
            var digits = bytes.indices.map { bytes[$0] }
            defer { erase(&digits) }
            guard digits.count == 32, var hash = try? Hexadecimal.decode(String(decoding: digits, as: UTF8.self)) else {
                return nil
            }
            return SecretBytes(consuming: &hash)
        }
        guard let hash else { throw node.error("the secret is not 32 hexadecimal digits: write the NT hash") }
        return SharedSecret(hash)
    }

    func secret(_ node: ProfileNode) throws(ProfileFileError) -> SharedSecret {
        let reference = try reference(node)
        do throws(SecretReferenceError) {
            return try reference.load(strict: secrets.isStrict) { secrets.warn(node.error("\($0)")) }
        } catch {
            throw node.error("\(error)")
        }
    }

    private func reference(_ node: ProfileNode) throws(ProfileFileError) -> SecretReference {
        let fields = try node.mapping(known: ["file", "environment"], isSecret: true)
        switch (fields["file"], fields["environment"]) {
        case (let file?, nil): return .file(path: paths.absolute(try file.text()))
        case (nil, let variable?): return .environment(variable: try variable.text())
        default: throw node.error("expected either 'file' or 'environment'; do not write the secret itself here")
        }
    }

    private func userForm(
        _ fields: [String: ProfileNode],
        user: String
    ) throws(ProfileFileError) -> Account.UserForm? {
        guard let node = fields["form"] else { return nil }
        guard fields["domain"] != nil || user.contains("\\") else {
            throw node.error("has no effect without a domain: add 'domain' or remove it")
        }
        guard let form = Account.UserForm(rawValue: try node.text()) else {
            throw node.error("expected \(Account.UserForm.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return form
    }
}

/// How secrets are read.
struct SecretRules {
    /// Whether a secret file that other users may read is an error.
    let isStrict: Bool
    let warn: (ProfileFileError) -> Void
}
