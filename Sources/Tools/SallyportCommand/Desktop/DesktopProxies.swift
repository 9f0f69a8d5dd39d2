internal import AllowedSites
internal import Foundation
internal import Hostnames
internal import SallyportRelay

/// The proxies that a desktop's setting names, and the hosts that are reached without them.
struct DesktopProxies: ProxyChooser {
    var forHTTP: RelayParent?
    var forHTTPS: RelayParent?
    /// For a scheme that has no proxy of its own.
    var socks: RelayParent?
    var exceptions = Exceptions()

    /// The hosts that the setting excepts.
    struct Exceptions: Sendable {
        fileprivate var sites: SiteTrie?
        /// Whether hosts without a dot in their names are excepted.
        fileprivate var havePlainNames = false
        /// Whether the proxies are for these hosts alone.
        var areReversed = false

        /// No host is excepted.
        init() {}

        /// - Parameters:
        ///   - entries: in the form of `NO_PROXY`. Names include those below them.
        ///   - knowsLocal: whether `<local>` stands for all names without a dot.
        ///   - warn: gets to know each entry that no rule can express.
        init(_ entries: [String], knowsLocal: Bool, warn: (String) -> Void) throws(SiteListError) {
            var rules: [String] = []
            for entry in entries {
                let entry = entry.trimmingCharacters(in: .whitespacesAndNewlines)
                if knowsLocal, entry == "<local>" {
                    havePlainNames = true
                } else if entry.contains(",") {
                    warn("the exception \(entry.debugDescription) is left out: write an entry for each host")
                } else if !entry.isEmpty {
                    rules.append(entry)
                }
            }
            let text = rules.joined(separator: ",")
            let reading = try SiteDialect.noProxy.read(text, name: "exceptions", allowingPublicSuffix: true)
            for loss in reading.losses {
                warn("the exception \(loss.text.debugDescription) is left out: \(loss.reason)")
            }
            sites = SiteTrie(compiling: reading.list)
        }

        /// Whether a server is reached without a proxy.
        func contain(_ server: Origin) -> Bool {
            let isPlain = !server.host.isAddress && !server.host.description.contains(".")
            let isListed =
                havePlainNames && isPlain || sites?.verdict(for: server, path: "/").isAllowed == true
            return isListed != areReversed
        }
    }

    /// All proxies, each once.
    var parents: [RelayParent] {
        var parents: [RelayParent] = []
        for case let parent? in [forHTTP, forHTTPS, socks] where !parents.contains(parent) { parents.append(parent) }
        return parents
    }

    /// The proxy of a scheme.
    func proxy(for scheme: Scheme) -> RelayParent? { (scheme == .http ? forHTTP : forHTTPS) ?? socks }

    func known(for server: Origin) -> [RelayRoute]? {
        guard let proxy = proxy(for: server.scheme), !exceptions.contain(server) else { return [.direct] }
        return [.proxy(proxy)]
    }

    func choices(for server: Origin) async -> [RelayRoute] { known(for: server) ?? [.direct] }
}

extension RelayParent {
    /// Reads a proxy of a desktop's setting.
    ///
    /// - Parameter place: the key of the setting, for errors.
    init(_ text: String, of place: String, _ desktop: Desktop) throws(DesktopProblem) {
        do throws(RelayParentError) {
            self = try RelayParent(parsing: text)
        } catch .password {
            throw DesktopProblem(
                desktop,
                "\(place): an account stands before '@': remove it there, and keep the password with 'sallyport credentials add --proxy'"
            )
        } catch {
            throw DesktopProblem(desktop, "\(place): \(error)")
        }
    }
}
