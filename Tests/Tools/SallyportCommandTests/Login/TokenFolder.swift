import Foundation
import LiveServers

/// A folder whose profile has the accounts of an OAuth service, and a user agent.
final class TokenFolder {
    let files: RequestFolder
    let server: OAuthServer
    /// The options of the verbs about tokens.
    var options: [String] { ["--profile", files.path("profile.yaml")] + files.key }

    /// One service for all tests that do not end it.
    private static let shared = Result { try OAuthServer() }

    init(server: OAuthServer? = nil) throws {
        self.server = try server ?? Self.shared.get()
        files = try RequestFolder()
        try files.write("p%w:s", "secret")
        try profile()
    }

    /// Writes the profile.
    ///
    /// - Parameter scope: what the accounts ask for.
    func profile(scope: String = "read") throws {
        let account = { (name: String, rest: String) in
            """
              - name: \(name)
                sites: ["\(self.server.url)\(name == "tracker" ? "" : "/\(name)/")"]
                cleartext: true
                oauth:
                  issuer: \(self.server.url)
                  scope: \(scope)
                  \(rest)
            """
        }
        try files.write(
            """
            version: 1
            sites: ["\(server.url)"]
            schemes: [bearer, digest]
            accounts:
            \(account("tracker", "client: browser"))
            \(account("machine", "{client: machine, grant: client-credentials, secret: { file: secret }}".flowed))
            \(account("portal", "{client: portal, secret: { store: true }}".flowed))
              - name: password
                user: jdoe
                password: { file: secret }
                sites: ["\(server.url)/password/"]
            """,
            "profile.yaml"
        )
    }

    func run(_ arguments: [String]) async throws -> SallyportRun { try await files.live(arguments) }

    func login(_ arguments: [String]) throws -> RunningLogin { try RunningLogin(arguments + options, files) }

    /// What curl as a user agent gets. It fills the form of the service in, and follows redirects.
    func browse(_ url: String, decision: String = "yes") async throws -> SallyportRun {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(
                ["-sS", "--noproxy", "*", "-L", "--data", "user=jdoe&decision=\(decision)", url],
                program: URL(filePath: "/usr/bin/curl")
            )
        }
    }

    func control(_ path: String) async throws -> String {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(
                ["-sS", "--noproxy", "*", "\(server.url)/control/\(path)"],
                program: URL(filePath: "/usr/bin/curl")
            ).output
        }
    }

    /// Signs jdoe in as the account `tracker`.
    func signIn() async throws {
        let login = try login(["tracker"])
        _ = try login.line()
        let page = try await browse(try login.line())
        let end = try login.line()
        guard login.end() == 0, page.output.contains("close this window"), end.hasPrefix("signed in: ") else {
            throw PeerFailure(what: "\(page) \(end) \(try login.errorText)")
        }
    }
}

extension String {
    /// The fields of a flow mapping in lines of their own.
    fileprivate var flowed: String {
        String(dropFirst().dropLast()).replacing(", ", with: "\n      ")
    }
}
