import Foundation
import LiveServers
import TestSupport
import Testing

/// `sallyport login`, `logout`, `token show` and `get` at a service of Authlib.
@Suite(.inTurn, .serialized, .needs(.authlib)) struct LoginCommandTests {
    @Test("A sign-in with a browser: get, show, renew, sign out", .row(44, 56, 61)) func browser() async throws {
        let folder = try TokenFolder()
        let before = try #require(Int(try await folder.control("grants")))
        let login = try folder.login(["tracker"])
        #expect(try login.line() == "open this address in a browser on this machine, within 300 s (^C cancels):")
        let url = try login.line()
        #expect(url.hasPrefix("\(folder.server.url)/authorize?response_type=code&client_id=browser&"))
        #expect(url.contains("code_challenge_method=S256") && url.contains("&scope=read"))
        let page = try await folder.browse(url)
        #expect(page.output.contains("You can close this window."), "\(page.output)\(page.error)")
        let said = try login.line()
        #expect(said.hasPrefix("signed in: 'tracker' at \(folder.server.url): a token until "), "\(said)")
        #expect(said.hasSuffix(", scope read, renewed by a refresh token"))
        #expect(login.end() == 0)

        let get = ["get", "\(folder.server.url)/items"] + folder.options
        #expect(try await folder.run(get).output.contains("one"))
        // The token of the store, so the service has granted once.
        #expect(try await folder.control("grants") == "\(before + 1)")

        let show = try await folder.run(["token", "show", "tracker"] + folder.options)
        #expect(show.status == 0 && show.output.contains("scope          read\n"), "\(show.output)\(show.error)")
        #expect(show.output.contains("refresh token  yes\n") && show.output.contains("token          valid\n"))
        let revealed = try await folder.run(["token", "show", "tracker", "--reveal", "--json"] + folder.options)
        let token = try #require(try revealed.json()["secret"] as? String)
        #expect(token.count == 32 && !show.output.contains(token))

        // A 401 brings one renewal; then the new token is in the store.
        #expect(try await folder.control("end-access") == "done")
        let renewed = try await folder.run(get)
        #expect(renewed.status == 0 && renewed.output.contains("one"), "\(renewed.error)")
        #expect(try await folder.run(get).status == 0)
        #expect(try await folder.control("grants") == "\(before + 2)")

        let out = try await folder.run(["logout", "tracker"] + folder.options)
        #expect(out.status == 0, "\(out.error)")
        #expect(out.output == "'tracker': the store has no tokens any more, and the service has taken them back\n")
        let refused = try await folder.run(get)
        #expect(refused.status == 1, "\(refused.error)")
        #expect(refused.error.contains("tracker: no token is stored: run sallyport login tracker"), "\(refused.error)")
        let again = try await folder.run(["logout", "tracker"] + folder.options)
        #expect(again.status == 1 && again.output == "'tracker': was not signed in\n")
        #expect(try await folder.run(["token", "show", "tracker"] + folder.options).status == 1)
        // Only the run that was asked for it has shown the token.
        #expect(folder.files.written.components(separatedBy: token).count == 2)
    }

    @Test("A sign-in with a browser on another device") func device() async throws {
        let folder = try TokenFolder()
        let login = try folder.login(["\(folder.server.url)/items", "--device", "--json"])
        let shown = try JSONSerialization.jsonObject(with: Data(try login.line().utf8)) as? [String: Any]
        #expect(shown?["open"] as? String == "\(folder.server.url)/activate")
        let code = try #require(shown?["code"] as? String)
        #expect(try await folder.control("decide/\(code)/yes") == "done")
        let granted = try JSONSerialization.jsonObject(with: Data(try login.line().utf8)) as? [String: Any]
        #expect(granted?["account"] as? String == "tracker" && granted?["refresh"] as? String == "yes")
        #expect(granted?["secret"] == nil)
        #expect(login.end() == 0)
        #expect(try await folder.run(["get", "\(folder.server.url)/items"] + folder.options).status == 0)
    }

    @Test("A user who refuses, in the browser and on a device, ends with 1") func refused() async throws {
        let folder = try TokenFolder()
        let login = try folder.login(["tracker"])
        _ = try login.line()
        let page = try await folder.browse(try login.line(), decision: "no")
        #expect(page.output.contains("has failed"))
        #expect(login.end() == 1)
        #expect(try login.errorText.contains("access_denied"))
        let device = try folder.login(["tracker", "--device", "--json"])
        let shown = try JSONSerialization.jsonObject(with: Data(try device.line().utf8)) as? [String: Any]
        _ = try await folder.control("decide/\(shown?["code"] as? String ?? "")/no")
        #expect(device.end() == 1)
        #expect(try device.errorText.contains("the user has refused"))
        #expect(try await folder.run(["token", "show", "tracker"] + folder.options).status == 1)
    }

    @Test("A browser that does not come back ends with 1, and ^C ends at once") func waiting() async throws {
        let folder = try TokenFolder()
        let late = try folder.login(["tracker", "--wait", "1"])
        _ = try (late.line(), late.line())
        #expect(late.end() == 1)
        #expect(try late.errorText.hasSuffix("sallyport login: no browser came back in 1 s: begin again\n"))
        let code = try folder.login(["tracker", "--device", "--wait", "1"])
        #expect(code.end() == 1)
        #expect(
            try code.errorText.hasSuffix(
                "sallyport login: the code was not typed in 1 s: begin again, or raise --wait\n"
            )
        )
        let cancelled = try folder.login(["tracker"])
        _ = try (cancelled.line(), cancelled.line())
        cancelled.send(SIGINT)
        #expect(cancelled.end() != 0)
        #expect(try await folder.run(["token", "show", "tracker"] + folder.options).status == 1)
    }

    @Test("The application signs in itself; a wrong secret is the service's refusal", .row(58)) func machine()
        async throws
    {
        let folder = try TokenFolder()
        let right = try await folder.run(["login", "machine"] + folder.options)
        #expect(right.status == 0 && right.output.contains(", renewed by the client's secret"), "\(right.error)")
        try folder.files.write("wrong", "secret")
        let wrong = try await folder.run(["login", "machine"] + folder.options)
        #expect(wrong.status == 1, "\(wrong.error)")
        #expect(wrong.error.contains("check the client's identifier and secret"), "\(wrong.error)")
        #expect(!folder.files.written.contains("p%w:s"))
    }

    @Test("A client's secret in the store; without it and without a terminal nothing is sent") func storedSecret()
        async throws
    {
        let folder = try TokenFolder()
        let without = try await folder.run(["login", "portal"] + folder.options)
        #expect(without.status == 2 && without.error.contains("terminal: there is none"), "\(without.error)")
        let kept = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try folder.files.run(
                ["credentials", "add", folder.server.url, "--user", "portal", "--kind", "client-secret", "--stdin"]
                    + folder.files.key,
                input: Array("p%w:s".utf8)
            )
        }
        #expect(kept.status == 0, "\(kept.error)")
        let login = try folder.login(["portal"])
        _ = try login.line()
        _ = try await folder.browse(try login.line())
        #expect(try login.line().hasPrefix("signed in: 'portal'"))
        #expect(login.end() == 0)
    }

    @Test("A token without the scope is told, and brings no other one") func scope() async throws {
        let folder = try TokenFolder()
        try await folder.signIn()
        let before = try await folder.control("grants")
        let run = try await folder.run(["get", "\(folder.server.url)/admin"] + folder.options)
        #expect(run.status == 1)
        #expect(run.error.contains("the token lacks the scope \"write\""), "\(run.error)")
        #expect(try await folder.control("grants") == before)
    }

    @Test("A service that is gone: logout clears, reports and ends with 1") func gone() async throws {
        var folder: TokenFolder? = try TokenFolder(server: OAuthServer())
        try await folder?.signIn()
        let (files, options, url) = (folder!.files, folder!.options, folder!.server.url)
        folder = nil
        let out = try await files.live(["logout", "--all"] + options)
        #expect(out.status == 1)
        #expect(out.error.contains("tracker: the service has not taken the tokens back"), "\(out.error)")
        #expect(out.output.contains("'tracker': the store has no tokens any more"))
        #expect(out.output.contains("'machine': was not signed in"))
        let get = try await files.live(["get", "\(url)/items"] + options)
        #expect(get.status == 1 && get.error.contains("run sallyport login tracker"), "\(get.error)")
    }

    @Test("The relay sends the token to the server; after a refusal the next request has the next token") func relay()
        async throws
    {
        let folder = try TokenFolder()
        try await folder.signIn()
        let before = try #require(Int(try await folder.control("grants")))
        let relay = try RunningRelay(
            [
                "--parent", "127.0.0.1:9", "--no-proxy", "127.0.0.1", "--allow-destination", "127.0.0.1",
                "--answer-servers",
            ] + folder.options,
            environment: folder.files.environment
        )
        let url = "\(folder.server.url)/items"
        #expect(try relay.get(url).status == 200)
        #expect(try await folder.control("end-access") == "done")
        #expect(try relay.get(url).status == 401)
        // The relay has the next token some time after the service has granted it.
        try await eventually("the relay has the next token") { try relay.get(url).status == 200 }
        #expect(try await folder.control("grants") == "\(before + 1)")

        // SIGHUP puts another account in the place of the first, and then none.
        let head = "version: 1\nsites: [\"\(folder.server.url)\"]\nschemes: [bearer]\n"
        try folder.files.write(
            """
            \(head)accounts:
              - name: machine
                sites: ["\(folder.server.url)"]
                cleartext: true
                oauth:
                  issuer: \(folder.server.url)
                  scope: read
                  client: machine
                  grant: client-credentials
                  secret: { file: secret }
            """,
            "profile.yaml"
        )
        relay.send(SIGHUP)
        try relay.waitForLog("the profile is read again")
        #expect(try relay.get(url).status == 200)
        #expect(try await folder.control("grants") == "\(before + 2)")
        try folder.files.write(head, "profile.yaml")
        relay.send(SIGHUP)
        try await eventually("the relay sends no token") { try relay.get(url).status == 401 }
    }

    @Test("Row 38: a resource names its service, and explain the account that answers", .row(38, 55)) func names()
        async throws
    {
        let folder = try TokenFolder()
        try folder.files.write(
            """
            version: 1
            sites: ["\(folder.server.url)"]
            schemes: [digest]
            accounts:
              - name: found
                sites: ["\(folder.server.url)"]
                cleartext: true
                oauth: { client: browser, resources: ["\(folder.server.url)/items"] }
            """,
            "profile.yaml"
        )
        let login = try await folder.run(["login", "found"] + folder.options)
        #expect(login.status == 2)
        #expect(login.error.contains("write 'issuer: \(folder.server.url)' into the profile"), "\(login.error)")
        try folder.profile()
        let story = try await folder.run(["explain", "\(folder.server.url)/items"] + folder.options)
        #expect(story.status == 1)
        let account = "'tracker' for \(folder.server.url), by the rule \(folder.server.url), with a token of"
        #expect(story.output.contains(account), "\(story.output)")
    }

    @Test("A token that a server refuses without a challenge is called a token") func refusedToken() async throws {
        let folder = try TokenFolder()
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n") }
        defer { server.stop() }
        try folder.files.write(
            """
            version: 1
            sites: ["\(server.origin)"]
            schemes: [bearer]
            accounts:
              - name: robot
                sites: ["\(server.origin)"]
                cleartext: true
                oauth:
                  issuer: \(folder.server.url)
                  client: machine
                  grant: client-credentials
                  secret: { file: secret }
            """,
            "profile.yaml"
        )
        // Makes the store, too.
        #expect(try await folder.run(["login", "robot"] + folder.options).status == 0)
        let run = try await folder.run(["get", "\(server.origin)/"] + folder.options)
        #expect(run.status == 1 && run.error.contains("the server does not take the token of 'robot'"), "\(run.error)")
        #expect(!run.error.contains("password"), "\(run.error)")
    }

    @Test("A service without a description is named") func undescribed() async throws {
        let folder = try TokenFolder()
        let issuer = "\(folder.server.url)/nothing"
        let profile = try String(contentsOfFile: folder.files.path("profile.yaml"), encoding: .utf8)
        try folder.files.write(
            profile.replacing("issuer: \(folder.server.url)", with: "issuer: \(issuer)"),
            "profile.yaml"
        )
        let login = try await folder.run(["login", "tracker"] + folder.options)
        #expect(
            login.status == 2 && login.error.contains("\(issuer): the service does not describe itself"),
            "\(login.error)"
        )
        #expect(login.error.contains("status 404"), "\(login.error)")
    }

    @Test("What cannot run") func cannotRun() async throws {
        let folder = try TokenFolder()
        for (arguments, text) in [
            (["login", "nobody"], "nobody: the profile has no account with 'oauth'"),
            (["login", "\(folder.server.url)/password/x"], "the profile has no account with 'oauth'"),
            (["login", "machine", "--device"], "machine: the application signs in itself"),
            (["login", "tracker", "--wait", "0"], "--wait takes 1 to 3600 seconds"),
            (["logout"], "Name an account, or give --all"), (["logout", "tracker", "--all"], "give --all"),
            (["token", "show", "--reveal"], "--reveal shows one token"),
        ] {
            let run = try await folder.run(arguments + folder.options)
            #expect(run.status == 2 && run.error.contains(text), "\(arguments): \(run.error)")
        }
    }

    /// Without a network Chromium takes a minute or two to start, so `.ci/slow browsers` runs it.
    @Test(
        "The code flow in Chromium, headless",
        .needs(.chromium),
        .enabled(if: ProcessInfo.processInfo.environment["SALLYPORT_BROWSERS"] != nil, "SALLYPORT_BROWSERS=1")
    )
    func chromium() async throws {
        let folder = try TokenFolder()
        let login = try folder.login(["tracker"])
        _ = try login.line()
        let url = try login.line()
        let profile = folder.files.path("chromium")
        let page = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(
                [
                    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    "--user-data-dir=\(profile)",
                    "--disable-background-networking", "--disable-component-update", "--no-first-run",
                    "--no-proxy-server",
                    "--virtual-time-budget=20000", "--dump-dom", url,
                ],
                program: URL(filePath: "/usr/bin/chromium")
            )
        }
        #expect(page.output.contains("You can close this window."), "\(page.output)\(page.error.suffix(2_000))")
        #expect(try login.line().hasPrefix("signed in: 'tracker'"))
        #expect(login.end() == 0)
        #expect(try await folder.run(["get", "\(folder.server.url)/items"] + folder.options).status == 0)
    }
}
