internal import ArgumentParser
internal import NIOCore
internal import NIOHTTP1
internal import OAuth
internal import OfflineVerbs
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO
internal import WireFormat

/// How `pins update` fetches an update.
struct PinsDownloadOptions: ParsableArguments {
    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trust the authorities of this PEM file, and not those of the system.", valueName: "file")
    )
    var authorities: String?

    @Option(help: ArgumentHelp("Reach the URL through this proxy, and ignore the environment.", valueName: "url"))
    var proxy: String?

    @Flag(help: "Use no proxy, and ignore the environment.")
    var direct = false

    func validate() throws {
        guard proxy == nil || !direct else { throw ValidationError("--direct uses no proxy: remove it or --proxy.") }
    }

    /// How long a download may take.
    private static let limit = TimeAmount.minutes(5)

    /// The bytes of a file, of standard input for `-`, or of a URL.
    func update(_ place: String) throws -> [UInt8] {
        guard place.contains("://") else { return try PinsInput.bytes(of: place, "pins update") }
        do {
            let url = try ServiceURL(place)
            let client = try client()
            defer { client.shutDown() }
            return try Blocking.run {
                let request = ClientRequest(origin: url.origin, target: url.target)
                let response = try await client.execute(request, deadline: .now() + Self.limit)
                guard response.status == .ok else {
                    throw PinsInput.fail(
                        "pins update",
                        "\(url): the server answered with \(response.status.code); name the URL of the update itself"
                    )
                }
                return Array(try await response.body.collect(upTo: PinsInput.largestFile).readableBytesView)
            }
        } catch let code as ExitCode {
            throw code
        } catch {
            throw PinsInput.fail("pins update", "\(RequestFailure.text(ofService: error))")
        }
    }

    private func client() throws -> AuthenticatedClient {
        let proxies = try ProxyChoice(option: proxy, isDirect: direct)
        var settings = ClientSettings()
        // A redirect could lead away from the place that was named.
        settings.redirects = 0
        settings.proxy = { proxies.proxy(for: $0)?.origin }
        var tls = TLSSettings()
        if let authorities { tls.roots = .certificates(try ServerRules.roots(of: authorities, "pins update")) }
        let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "pins update"), schemes: [.basic])
        let current = CurrentHandler(try ChallengeHandler(profile: nothing, at: 0))
        return AuthenticatedClient(current, settings: settings, tls: try TLSConnector(tls, current))
    }
}
