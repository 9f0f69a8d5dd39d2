import NIOCore
import Sallyport
import SallyportClient

enum AskingSnippet {
    /// Those of AskingForPasswords.md. The report is that of the sign-out.
    static func response(
        _ url: String,
        _ handler: ChallengeHandler,
        _ store: any CredentialStore
    ) async throws -> (ClientResponse, SignOutReport) {
        let authenticator = try Authenticator(
            CurrentHandler(handler),
            sources: [NetrcSource(), GitCredentialHelper()],
            prompt: TerminalPrompt(keep: .stored),
            store: store
        )
        let client = AuthenticatedClient(authenticator)
        let response = try await client.execute(ClientRequest(url: url), deadline: .now() + .seconds(300))
        let report = await authenticator.signOut()
        return (response, report)
    }

    static func atTheTerminal(_ current: CurrentHandler) throws -> Authenticator {
        let authenticator = try Authenticator(
            current,
            serverTrust: TerminalTrustPrompt().reply,
            identityChoice: TerminalIdentityPrompt().reply
        )
        return authenticator
    }

    static func trusting(
        _ current: CurrentHandler,
        inOneWeek: Int64,
        userConfirms: @escaping @Sendable (String) async -> Bool
    ) throws -> Authenticator {
        let ask: Authenticator.ServerTrustSource = { server in
            await userConfirms("\(server)") ? .trust(until: inOneWeek) : .reject
        }
        let authenticator = try Authenticator(current, serverTrust: ask)
        return authenticator
    }
}
