import ClientAuthentication
import ClientDirectories
import HTTPAuthentication

/// The snippet of ClientDirectories.md.
enum ClientDirectoriesSnippet {
    static func authenticator(_ path: String) throws -> ClientAuthenticator {
        let accounts = try AccountsFile(path)
        let options = ClientAuthenticationOptions(
            party: .proxy,
            realm: accounts.realm ?? "proxy",
            schemes: accounts.schemes
        )
        let authenticator = ClientAuthenticator(options, directory: accounts)
        return authenticator
    }
}
