import Foundation
import Hostnames
import SallyportRelay
import TestSupport
import Testing

@testable import SallyportCommand

/// KDE's setting. The values are read off KDE's page about proxies and the files that its System Settings write.
@Suite struct KDEProxiesTests {
    private static let manual = """
        [Proxy Settings]
        ProxyType=1
        httpProxy=http://proxy.example 3128
        httpsProxy=http://secure.example:8080/
        socksProxy=socks://socks.example 1080
        """

    @Test(
        "The way to a server",
        arguments: [
            ([manual], "http://a.example", "http://proxy.example:3128"),
            ([manual], "https://a.example", "http://secure.example:8080"),
            // Without a proxy of its own a scheme uses SOCKS.
            (
                ["[Proxy Settings]\nProxyType=1\nsocksProxy=socks.example 1080"], "https://a.example",
                "socks5://socks.example:1080"
            ),
            (["[Proxy Settings]\nProxyType=0\nhttpProxy=http://proxy.example 3128"], "http://a.example", nil),
            (["[Other]\nProxyType=1\nhttpProxy=http://proxy.example 3128"], "http://a.example", nil),
            // Names include those below them, and entries are separated by commas or blanks.
            ([manual, "[Proxy Settings]\nNoProxyFor=b.example, .c.example d.example"], "http://x.b.example", nil),
            ([manual, "[Proxy Settings]\nNoProxyFor=b.example, .c.example d.example"], "http://x.c.example", nil),
            ([manual, "[Proxy Settings]\nNoProxyFor=b.example, .c.example d.example"], "http://d.example", nil),
            ([manual, "[Proxy Settings]\nNoProxyFor=b.example"], "http://a.example", "http://proxy.example:3128"),
            ([manual, "[Proxy Settings]\nNoProxyFor=<local>"], "http://intranet", nil),
            ([manual, "[Proxy Settings]\nNoProxyFor=<local>"], "http://[::1]", "http://proxy.example:3128"),
            // Only these hosts go through the proxies.
            ([manual, "[Proxy Settings]\nNoProxyFor=b.example\nReversedException=true"], "http://a.example", nil),
            (
                [manual, "[Proxy Settings]\nNoProxyFor=b.example\nReversedException=true"], "http://b.example",
                "http://proxy.example:3128"
            ),
            // The values are names of variables; their list is not reversed.
            (
                ["[Proxy Settings]\nProxyType=4\nhttpProxy=WEB\nNoProxyFor=NOT\nReversedException=true"],
                "http://a.example",
                "http://variable.example:81"
            ),
            (["[Proxy Settings]\nProxyType=4\nhttpProxy=WEB\nNoProxyFor=NOT"], "http://b.example", nil),
            (["[Proxy Settings]\nProxyType=4\nhttpProxy=UNSET"], "http://a.example", nil),
            // The user's file counts more, unless the administrator forbids it.
            (
                [manual, "[Proxy Settings]\nhttpProxy=http://other.example 1"], "http://a.example",
                "http://other.example:1"
            ),
            (
                [
                    manual.replacing("httpProxy=", with: "httpProxy[$i]="),
                    "[Proxy Settings]\nhttpProxy=http://other.example 1",
                ],
                "http://a.example", "http://proxy.example:3128"
            ),
            (
                [manual.replacing("Settings]", with: "Settings][$i]"), "[Proxy Settings]\nProxyType=0"],
                "http://a.example", "http://proxy.example:3128"
            ),
        ] as [([String], String, String?)]
    )
    func choices(files: [String], url: String, expected: String?) throws {
        let environment = ["WEB": "http://variable.example:81", "NOT": "b.example"]
        let setting = KDEProxies(KDESettingFiles.values(of: files), environment: environment)
        guard case .proxies(let proxies) = try setting.choice(warn: { Issue.record("\($0)") }) else {
            Issue.record("no proxies")
            return
        }
        let routes = try #require(proxies.known(for: Origin(parsing: url)))
        guard case .proxy(let parent)? = routes.first else {
            #expect(expected == nil)
            return
        }
        #expect("\(parent)" == expected && routes.count == 1)
    }

    @Test("A PAC file is named, or searched for")
    func scripts() throws {
        let named = "[Proxy Settings]\nProxyType=2\nProxy Config Script=file:///etc/a%20b.pac"
        guard
            case .script(let url) = try KDEProxies(KDESettingFiles.values(of: [named]), environment: [:])
                .choice(warn: { _ in })
        else {
            Issue.record("no script")
            return
        }
        #expect(url == "file:///etc/a%20b.pac")
        guard
            case .place(let place)? = PACSource(PACOptions(), DesktopSetting(desktop: .kde, choice: .script(url)))
        else {
            Issue.record("no place")
            return
        }
        #expect(place.text == "/etc/a b.pac" && place.option == "--desktop-proxy")
        guard
            case .search = try KDEProxies(["ProxyType": "3"], environment: [:]).choice(warn: { _ in })
        else {
            Issue.record("no search")
            return
        }
    }

    @Test("An exception that no rule can express is left out, and named")
    func losses() throws {
        var warnings: [String] = []
        _ = try KDEProxies(
            ["ProxyType": "1", "httpProxy": "http://a.example 1", "NoProxyFor": "192.168.*,b.example,*"],
            environment: [:]
        )
        .choice { warnings.append($0) }
        #expect(
            warnings.count == 2 && warnings[0].hasPrefix("the exception \"192.168.*\" is left out: "),
            "\(warnings)"
        )
    }

    @Test(
        "A setting that cannot be used is one line",
        arguments: [
            (["ProxyType": "9"], "ProxyType is none of 0 to 4"),
            (["ProxyType": "2"], "ProxyType is 2, and 'Proxy Config Script' names no PAC file"),
            (["ProxyType": "1", "httpProxy": "http://a.example"], "httpProxy: the port is absent"),
            (
                ["ProxyType": "1", "httpProxy": "http://jdoe:w0rd@a.example 1"],
                "httpProxy: an account stands before '@'"
            ),
        ]
    )
    func problems(values: [String: String], words: String) {
        let error = #expect(throws: DesktopProblem.self) {
            try KDEProxies(values, environment: [:]).choice(warn: { _ in })
        }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.hasPrefix("--desktop-proxy: the desktop's setting (KDE): \(words)"), "\(text)")
        #expect(!text.contains("\n") && !text.contains("w0rd"))
    }

    @Test("A session without a known desktop, and a folder without the file, are one line")
    func nothing() throws {
        for (names, desktop) in [
            ("ubuntu:GNOME", Desktop.gnome), ("Unity:Unity7:ubuntu", .gnome), ("KDE", .kde), ("KDE:GNOME", .kde),
            ("XFCE", nil), ("", nil), ("gnome", nil),
        ] {
            #expect(Desktop(session: names) == desktop, "\(names)")
        }
        let unknown = #expect(throws: DesktopProblem.self) {
            try DesktopSetting.ofSession(environment: ["XDG_CURRENT_DESKTOP": "XFCE"], warn: { _ in })
        }
        #expect(unknown?.description.hasPrefix("--desktop-proxy: XDG_CURRENT_DESKTOP names no desktop") == true)
        let folder = try TemporaryFolder("kde")
        let missing = #expect(throws: DesktopProblem.self) { try KDESettingFiles.values(in: [folder.url.path]) }
        #expect(missing?.text.hasPrefix("there is no kioslaverc in \(folder.url.path): ") == true)
    }
}
