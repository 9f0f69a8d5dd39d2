import Crypto
import Foundation
import LiveServers
import SwiftASN1
import TestSupport
import Testing
import X509

/// Rows 57 and 59, and applications: accounts of ArcGIS in a profile, at the servers of `arcgis-portal`.
@Suite(.row(36, 57, 59), .inTurn, .serialized, .needs(.python)) struct ArcGISSignInCommandTests {
    private let servers: ArcGISServers
    private let folder: RequestFolder

    init() throws {
        (servers, folder) = (try ArcGISServers(), try RequestFolder())
        try folder.write(servers.root.own.certificate.serializeAsPEM().pemString, "root.pem")
        try folder.write(ArcGISServers.password, "secret")
        try folder.write("s3cret&", "worker")
        try profile()
    }

    private var rest: String { servers.portal + "/sharing/rest" }
    private var item: String { rest + "/content/items/1?f=json" }
    private var map: String { servers.server + "/rest/services/Parcels/MapServer?f=json" }
    private var options: [String] {
        ["--profile", folder.path("profile.yaml"), "--cacert", folder.path("root.pem")] + folder.key
    }

    /// Asks no service.
    private func show(_ more: [String] = []) async throws -> SallyportRun {
        try await folder.live(["token", "show", "--profile", folder.path("profile.yaml")] + more + folder.key)
    }

    /// - Parameter accounts: the accounts with the site of the portal, in place of `portal`.
    private func profile(_ accounts: String? = nil) throws {
        try folder.write(
            """
            version: 1
            sites: ["\(servers.portal)/", "\(servers.server)/"]
            schemes: [bearer]
            accounts:
              - name: portal
                sites: ["\(servers.portal)/\(accounts == nil ? "" : "none/")"]
                arcgis: { portal: "\(rest)", user: \(ArcGISServers.user), password: { file: secret } }
              - name: parcels
                sites: ["\(servers.server)/"]
                arcgis: { federated-with: portal, server: "\(servers.server)" }
            \(accounts ?? "")
            """,
            "profile.yaml"
        )
    }

    private func curl(_ arguments: [String]) async throws -> String {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(
                ["-sS", "--noproxy", "*", "--cacert", folder.path("root.pem")] + arguments,
                program: URL(filePath: "/usr/bin/curl")
            ).output
        }
    }

    private func generated() async throws -> String { try await curl([servers.control + "count/generate"]) }

    @Test(
        "A user and a federated server: one token each for several runs, a new one after 498, and a sign-out",
        .row(48)
    )
    func user() async throws {
        let login = try await folder.live(["login", "portal"] + options)
        #expect(login.status == 0, "\(login.error)")
        #expect(login.output.hasPrefix("signed in: 'portal' at \(rest): a token until "), "\(login.output)")
        #expect(login.output.hasSuffix(", renewed by the password of the profile\n"), "\(login.output)")
        for url in [item, map, item, map] {
            let get = try await folder.live(["get", url] + options)
            #expect(get.status == 0 && !get.output.contains("error"), "\(get.output)\(get.error)")
        }
        #expect(try await generated() == "2")
        _ = try await curl([servers.control + "end-tokens"])
        let renewed = try await folder.live(["get", map] + options)
        #expect(renewed.status == 0 && renewed.output.contains("Parcels"), "\(renewed.output)\(renewed.error)")
        // Without the file the token of the store does; then nothing is left.
        let out = try await folder.live(["logout", "--all"] + options)
        #expect(out.status == 0, "\(out.error)")
        #expect(out.output.contains("'portal': the store has no tokens any more; the service takes no tokens back\n"))
        let left = try await show(["--json"])
        #expect(
            left.output.contains(#""token":"none""#) && !left.output.contains("valid"),
            "\(left.output)\(left.error)"
        )
        try folder.write("wrong", "secret")
        let wrong = try await folder.live(["login", "portal"] + options)
        #expect(wrong.status == 1 && wrong.error.contains("Invalid username or password."), "\(wrong.error)")
        #expect(try await curl([servers.control + "count/wrong-password"]) == "1")
        #expect(!folder.written.contains(ArcGISServers.password))
    }

    @Test("A token that was generated elsewhere, with its referer; and one that has ended") func generatedElsewhere()
        async throws
    {
        let referer = "https://app.acme.example"
        try folder.write(
            "username=\(ArcGISServers.user)&password=\(ArcGISServers.password)&client=referer&referer=\(referer)&f=json",
            "form"
        )
        let answer = try await curl(["--data", "@\(folder.path("form"))", rest + "/generateToken"])
        let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
        try folder.write(try #require(object["token"] as? String), "token")
        let account = { (ends: String) in
            """
              - name: made
                sites: ["\(servers.portal)/"]
                arcgis: { token: { file: token }, referer: "\(referer)", ends: \(ends) }
            """
        }
        try profile(account("2036-01-01T00:00:00Z"))
        let get = try await folder.live(["get", item, "--no-store"] + options.dropLast(2))
        #expect(get.status == 0 && get.output.contains("Parcels"), "\(get.output)\(get.error)")
        let login = try await folder.live(["login", "made"] + options)
        #expect(login.status == 2 && login.error.contains("made: the token is in the profile"), "\(login.error)")
        let shown = try await show(["made"])
        #expect(shown.status == 0 && shown.output.contains("that of the profile"), "\(shown.output)\(shown.error)")
        try profile(account("2026-01-01T00:00:00Z"))
        let late = try await folder.live(["get", item, "--no-store"] + options.dropLast(2))
        #expect(late.status == 2, "\(late.output)")
        #expect(late.error.contains("made: the token of the profile ended at 2026-01-01T00:00:00Z"), "\(late.error)")
    }

    @Test("Applications of a portal: one that signs in itself, and one whose user signs in with a browser")
    func applications() async throws {
        try profile(
            """
              - name: worker
                sites: ["\(servers.portal)/"]
                oauth: { portal: "\(rest)", client: worker, grant: client-credentials, secret: { file: worker } }
              - name: parcels2
                sites: ["\(servers.server)/rest/services/Parcels/"]
                arcgis: { federated-with: worker, server: "\(servers.server)" }
              - name: mapapp
                sites: ["\(rest)/community/"]
                oauth: { portal: "\(rest)", client: mapapp }
            """
        )
        let get = try await folder.live(["get", item, "--no-store"] + options.dropLast(2))
        #expect(get.status == 0 && get.output.contains(#""owner": "worker""#), "\(get.output)\(get.error)")
        let federated = try await folder.live(["get", map, "--no-store"] + options.dropLast(2))
        #expect(federated.status == 0 && federated.output.contains("Parcels"), "\(federated.output)\(federated.error)")
        let login = try RunningLogin(["mapapp"] + options, folder)
        _ = try login.line()
        let page = try await curl([try login.line()])
        let state = try #require(page.split(separator: #""oauth_state":""#).last?.split(separator: "\"").first)
        try folder.write(
            "oauth_state=\(state)&username=\(ArcGISServers.user)&password=\(ArcGISServers.password)",
            "form"
        )
        _ = try await curl(["-L", "--data", "@\(folder.path("form"))", rest + "/oauth2/signin"])
        #expect(try login.line().hasSuffix(", renewed by a refresh token"))
        #expect(login.end() == 0)
        let who = try await folder.live(["get", rest + "/community/self?f=json"] + options)
        #expect(who.status == 0 && who.output.contains(ArcGISServers.user), "\(who.output)\(who.error)")
        let out = try await folder.live(["logout", "mapapp"] + options)
        #expect(out.output.hasSuffix("and the service has taken them back\n"), "\(out.output)\(out.error)")
    }
}
