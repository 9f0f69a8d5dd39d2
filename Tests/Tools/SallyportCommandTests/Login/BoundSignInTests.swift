import Foundation
import LiveServers
import TestSupport
import Testing
import TokenProofs

/// `dpop: true` of an account, at a service and a resource that check proofs of possession (RFC 9449) with joserfc.
@Suite(.inTurn, .serialized, .needs(.joserfc)) struct BoundSignInTests {
    @Test("The key is made at the sign-in, and kept: each later run proves it, to the service too") func signIn()
        async throws
    {
        let server = try ProvenServer(key: ES256Key().publicKey)
        let files = try RequestFolder()
        try files.write(
            """
            version: 1
            sites: ["\(server.url)"]
            schemes: [basic]
            accounts:
              - name: bound
                sites: ["\(server.url)"]
                cleartext: true
                oauth: { issuer: "\(server.url)", client: device, dpop: true }
            """,
            "profile.yaml"
        )
        let options = ["--profile", files.path("profile.yaml")] + files.key
        func curl(_ arguments: [String]) async throws -> String {
            try await withTaskExecutorPreference(ThreadPerJob.shared) {
                let program = URL(filePath: "/usr/bin/curl")
                return try SallyportRun(["-sS", "--noproxy", "*"] + arguments, program: program).output
            }
        }
        let login = try RunningLogin(["bound"] + options, files)
        _ = try login.line()
        _ = try await curl(["-L", try login.line()])
        let said = try login.line()
        #expect(said.hasPrefix("signed in: 'bound' at \(server.url): a token until "), "\(said)")
        #expect(said.hasSuffix(", bound to a key, renewed by a refresh token"), "\(said)")
        #expect(login.end() == 0)
        let show = try await files.live(["token", "show", "bound"] + options)
        #expect(show.output.contains("kind           DPoP, bound to the key "), "\(show.output)")
        // A redirect in the same origin, and a server with a nonce of its own.
        let moved = try await files.live(["get", "\(server.url)/moved"] + options)
        #expect(moved.status == 0 && moved.output == #"["one"]"#, "\(moved.error)")
        #expect(try await curl(["\(server.url)/control/end-tokens"]) == "done")
        let renewed = try await files.live(["get", "\(server.url)/items"] + options)
        let why = try await curl(["\(server.url)/control/last"])
        #expect(renewed.status == 0, "\(renewed.error) \(why)")
        let told = try await files.live(["explain", "\(server.url)/items"] + options)
        #expect(told.status == 0 && told.output.contains("a token that is bound to a key (DPoP) of "), "\(told.output)")
        let out = try await files.live(["logout", "bound"] + options)
        #expect(out.output.hasSuffix("and the service has taken them back\n"), "\(out.error)")
    }
}
