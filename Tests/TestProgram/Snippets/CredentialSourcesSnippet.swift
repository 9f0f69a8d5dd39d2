import CredentialSources
import Credentials
import Hostnames

/// The snippet of CredentialSources.md, which reads `.netrc` of the home folder.
enum CredentialSourcesSnippet {
    static func account() async throws -> Account? {
        let sources = SourceChain([NetrcSource(), GitCredentialHelper(), TerminalPrompt()])
        let question = CredentialQuestion(origin: try Origin(parsing: "https://wiki.example"), realm: "wiki")
        guard case .use(let found) = try await sources.reply(to: question) else { return nil }
        let account = Account(name: "wiki", user: found.user, domain: found.domain, password: found.password)
        return account
    }
}
