import Foundation
import LiveServers
import Testing

/// `sallyport get` with NTLM inside Negotiate, without a realm.
@Suite(.inTurn, .serialized) struct NegotiateNTLMTests {
    private func get(_ arguments: [String], at site: String, password: String) async throws -> SallyportRun {
        let folder = try RequestFolder()
        try folder.write(password, "password")
        try folder.write(
            """
            version: 1
            sites: ["\(site)"]
            schemes: [negotiate]
            accounts:
              - name: account
                user: jdoe
                domain: ACME
                password: { file: password }
                sites: ["\(site)"]

            """,
            "profile.yaml"
        )
        return try await folder.live(["get"] + arguments + ["--profile", folder.path("profile.yaml")])
    }

    @Test("mod_auth_gssapi with gss-ntlmssp", .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP)) func apache() async throws {
        let apache = try await withTaskExecutorPreference(ThreadPerJob.shared) { try ServerScript.Apache() }
        let site = "http://localhost:\(apache.http)"
        let right = try await get(["\(site)/ntlm/a"], at: site, password: "Correct-Horse")
        #expect(right.status == 0 && right.output.contains("in"), "\(right.error)")
        #expect(try await get(["\(site)/ntlm/a"], at: site, password: "Wrong-Horse").status == 1)
    }

    @Test("Squid with Samba's ntlm_auth as gss-spnego", .needs(.squid, .winbind, .samba, .namespaces)) func squid()
        async throws
    {
        let squid = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try ServerScript.Squid(helper: .sambaSPNEGO)
        }
        let proxy = "http://localhost:\(squid.proxy)"
        let request = ["http://127.0.0.1:\(squid.origin)/", "--proxy", proxy]
        let right = try await get(request, at: proxy, password: "Correct-Horse")
        #expect(right.status == 0 && right.output == "<p>in</p>\n", "\(right.error)")
        #expect(try await get(request, at: proxy, password: "Wrong-Horse").status == 1)
    }
}
