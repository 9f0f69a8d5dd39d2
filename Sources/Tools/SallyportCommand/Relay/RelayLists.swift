internal import AllowedSites
internal import Foundation
internal import OfflineVerbs
internal import SallyportRelay

/// The lists of a relay: what is reached without a parent, and which special addresses are served.
enum RelayLists {
    static func destinations(_ options: RelayOptions) throws -> DestinationRules {
        var rules = DestinationRules()
        if let list = options.noProxy { rules.direct = try noProxy(list, "--no-proxy") }
        if let file = options.directSites { rules.direct = try sites(file) }
        if let list = options.allowDestination { rules.allowed = try noProxy(list, "--allow-destination") }
        return rules
    }

    static func clients(_ options: RelayOptions) throws(RelayProblem) -> SiteTrie? {
        guard let list = options.clients else { return nil }
        return try noProxy(list, "--clients")
    }

    private static func noProxy(_ text: String, _ option: String) throws(RelayProblem) -> SiteTrie {
        let reading: DialectReading
        do throws(SiteListError) {
            // Names of one label, such as `intranet`, are common in these lists.
            reading = try SiteDialect.noProxy.read(text, name: option, allowingPublicSuffix: true)
        } catch {
            throw .list(option: option, "\(error)")
        }
        if let loss = reading.losses.first {
            // Nothing is left out here: the relay does not start.
            throw .list(option: option, "\(loss.text.debugDescription): \(loss.reason)")
        }
        return SiteTrie(compiling: reading.list)
    }

    private static func sites(_ file: String) throws(RelayProblem) -> SiteTrie {
        do {
            let bytes = [UInt8](try ListBytes.read(file))
            return SiteTrie(compiling: try SiteList(parsing: bytes.span, name: file))
        } catch let problem as ListBytes.Problem {
            throw .list(option: "--direct-sites", "\(file): \(problem.text)")
        } catch {
            throw .list(option: "--direct-sites", "\(error)")
        }
    }
}
