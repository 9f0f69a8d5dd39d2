import HTTPAuthentication
import LiveServers
import Sallyport
import Testing

/// Digest and Basic against a real server, with realms and names outside ASCII.
@Suite("Digest and Basic against Apache", .inTurn, .serialized, .needs(.apache, .openssl))
struct ApachePasswordTests {
    /// A realm, as the bytes of the server's configuration.
    struct Realm: CustomTestStringConvertible {
        let bytes: [UInt8]
        let testDescription: String
    }

    static let realms = [
        Realm(bytes: Array("Acme Intranet".utf8), testDescription: "ASCII"),
        Realm(bytes: [0x63, 0x61, 0x66, 0xE9], testDescription: "Latin-1"),
        Realm(bytes: Array("café".utf8), testDescription: "UTF-8"),
    ]

    @Test("Right and wrong passwords, users inside and outside ASCII", arguments: realms)
    func passwords(realm: Realm) throws {
        let apache = try ServerScript.PasswordApache(realm: realm.bytes)
        defer { withExtendedLifetime(apache) {} }
        for (path, scheme) in [("/digest", AuthenticationScheme.digest), ("/basic", .basic)] {
            let site = LiveSite(
                port: apache.http,
                door: .http,
                path: path,
                schemes: [scheme],
                allowsCleartext: scheme == .basic
            )
            for (user, password) in ServerScript.accounts {
                let handler = try site.handler(user: user, password: password)
                let right = try site.run(handler, on: site.connect())
                #expect(right.statuses == [401, 200] && right.end == .accepted, "\(path) \(user)")
            }
            let wrong = try site.run(site.handler(password: "Wrong-Horse"), on: site.connect())
            #expect(wrong.statuses == [401, 401])
            #expect(wrong.end == .withhold(.credentialsRefused(account: "account")))
        }
    }

    @Test("Without the opt-in, Basic over http gets no answer and Digest does")
    func cleartext() throws {
        let apache = try ServerScript.PasswordApache(realm: Array("Acme".utf8))
        defer { withExtendedLifetime(apache) {} }
        let basic = LiveSite(port: apache.http, door: .http, path: "/basic", schemes: [.digest, .basic])
        let refused = try basic.run(basic.handler(password: "Correct-Horse"), on: basic.connect())
        #expect(refused.statuses == [401])
        #expect(refused.end == .withhold(.cleartext(account: "account", .basic)))
        let digest = LiveSite(port: apache.http, door: .http, path: "/digest", schemes: [.digest, .basic])
        #expect(try digest.run(digest.handler(password: "Correct-Horse"), on: digest.connect()).statuses == [401, 200])
    }
}
