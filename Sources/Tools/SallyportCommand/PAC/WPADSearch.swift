internal import Foundation
internal import Hostnames
internal import SallyportRelay
internal import Waiting
internal import WireFormat

/// The search for a PAC file by the names of DNS: `http://wpad.DOMAIN/wpad.dat`, as far as the draft of WPAD needs no DHCP.
///
/// Each search domain is tried, then the domains above it, while at least two labels are left and strangers cannot register names there:
/// `wpad.co.uk` belongs to somebody else.
struct WPADSearch: Sendable {
    static let option = "--wpad"
    /// How long the search may take, whatever the resolver's own limit is.
    private static let limit = Duration.seconds(30)
    /// The most names that are tried.
    static let most = 8
    /// The most bytes of the file with the search domains.
    private static let fileBytes = 1 << 16

    /// The names, in the order in which they are tried.
    let hosts: [Hostname]
    /// The option that asks for the search.
    private let option: String

    init(domains: [String], for option: String = Self.option, _ suffixes: PublicSuffixList = .current) {
        var hosts: [Hostname] = []
        for domain in domains {
            // The root at the end of a name in resolv.conf.
            let text = domain.hasSuffix(".") ? String(domain.dropLast()) : domain
            guard let name = try? Hostname(parsing: text), !name.isAddress else { continue }
            var labels = name.description.split(separator: ".")[...]
            while labels.count >= 2 {
                let parent = labels.joined(separator: ".")
                let bytes = Array(parent.utf8)
                if suffixes.isSuffix(bytes.span, in: 0..<bytes.count) { break }
                if let host = try? Hostname(parsing: "wpad.\(parent)"), !hosts.contains(host) { hosts.append(host) }
                labels.removeFirst()
            }
        }
        self.hosts = Array(hosts.prefix(Self.most))
        self.option = option
    }

    /// The search of this machine. Reads files.
    static func ofMachine(for option: String) -> WPADSearch {
        let file = (try? FileReading.start(of: "/etc/resolv.conf", count: fileBytes)) ?? []
        // A file of the kernel, which tells the same as gethostname.
        let host = (try? FileReading.start(of: "/proc/sys/kernel/hostname", count: 256)) ?? []
        return WPADSearch(
            domains: domains(
                resolver: String(decoding: file, as: UTF8.self),
                localDomain: ProcessInfo.processInfo.environment["LOCALDOMAIN"],
                hostName: String(decoding: host, as: UTF8.self)
            ),
            for: option
        )
    }

    /// The search domains of a machine, as resolv.conf(5) and hostname(7) say.
    ///
    /// - Parameters:
    ///   - resolver: the text of resolv.conf; of several lines `search` and `domain` the last one counts.
    ///   - localDomain: the variable `LOCALDOMAIN`, which replaces them.
    ///   - hostName: the name of the machine, whose domain counts where nothing else names one.
    static func domains(resolver: String, localDomain: String?, hostName: String) -> [String] {
        if let localDomain { return words(localDomain[...]) }
        var found: [String]?
        for line in resolver.split(whereSeparator: \.isNewline) {
            let words = words(line)
            // The resolver takes a keyword only at the start of its line, and ignores one without a value.
            guard words.count > 1, line.first?.isWhitespace == false else { continue }
            switch words[0] {
            case "search": found = Array(words.dropFirst())
            case "domain": found = [words[1]]
            default: continue
            }
        }
        if let found { return found }
        let parts = words(hostName[...]).first?.split(separator: ".", maxSplits: 1) ?? []
        return parts.count == 2 ? [String(parts[1])] : []
    }

    private static func words(_ text: Substring) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// The first place that has a file, with the file.
    ///
    /// A server without a file does not end the search.
    ///
    /// - Throws: ``PACProblem``, also if the search takes too long: a name server that hangs is not waited for.
    func find() async throws -> (PACPlace, String) {
        guard !hosts.isEmpty else {
            throw problem(
                "this machine has no search domain of two labels below a public suffix: name the file with --pac"
            )
        }
        let late = problem(
            "no PAC file was found within \(Self.limit.components.seconds) s: check the name servers, or name the file with --pac"
        )
        return try await Deadline.abandon(after: Self.limit, orThrow: late) { try await search() }
    }

    private func search() async throws -> (PACPlace, String) {
        var problems: [String] = []
        for host in hosts {
            let place = PACPlace(text: "http://\(host)/wpad.dat", option: option)
            do {
                // With its root, so that no search domain is added to the name.
                _ = try await AddressLookup.addresses(of: "\(host).", port: 80)
                return (place, try await place.read())
            } catch let error as PACProblem {
                problems.append("\(place.text): \(error.text)")
            } catch let error as LookupError {
                problems.append("\(host): \(error.reason)")
            }
        }
        throw problem("no PAC file was found (\(problems.joined(separator: "; "))): name it with --pac")
    }

    private func problem(_ text: String) -> PACProblem { PACProblem(option: option, place: nil, text) }
}
