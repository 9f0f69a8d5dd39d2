internal import Hostnames
internal import Synchronization

/// How a request leaves the relay.
enum NextHop: Hashable, Sendable {
    case direct
    /// The position of the proxy in ``ParentTable``.
    case parent(Int)

    var parent: Int? { if case .parent(let parent) = self { parent } else { nil } }
}

/// The proxies of a relay, by their positions: first those of the settings, then those that a ``ProxyChooser`` names.
final class ParentTable: Sendable {
    /// The most proxies: a script could make up a name for each server.
    static let most = 64

    /// What a chooser's ways come to.
    struct Choice {
        var ways: [NextHop] = []
        /// A proxy that was left out, because the rules do not allow it.
        var forbidden: RelayParent?
    }

    private let parents: Mutex<[RelayParent]>
    private let rules: DestinationRules
    /// The hosts and ports of the settings' proxies, in whatever way they are reached.
    private let named: Set<Place>

    private struct Place: Hashable {
        let host: Hostname
        let port: UInt16

        init(_ parent: RelayParent) { (host, port) = (parent.origin.host, parent.origin.port) }
    }

    init(_ parents: [RelayParent], _ rules: DestinationRules) {
        self.parents = Mutex(parents)
        self.rules = rules
        named = Set(parents.map { Place($0) })
    }

    subscript(position: Int) -> RelayParent { parents.withLock { $0[position] } }

    /// Whether the settings name the proxy. Only then its name may lead to an address that the relay does not serve.
    func isNamed(_ position: Int) -> Bool { named.contains(Place(self[position])) }

    /// The ways of `choices`. Proxies over the bound are left out, and those that the rules forbid, unless the settings name them: a script comes
    /// from the network, and could reach programs of this machine with each request.
    func choice(_ choices: [RelayRoute]) -> Choice {
        var result = Choice()
        for choice in choices {
            if case .proxy(let parent) = choice, rules.forbids(parent.origin), !named.contains(Place(parent)) {
                result.forbidden = parent
                continue
            }
            guard let way = way(choice), !result.ways.contains(way) else { continue }
            result.ways.append(way)
        }
        return result
    }

    private func way(_ choice: RelayRoute) -> NextHop? {
        switch choice {
        case .direct: .direct
        case .proxy(let parent):
            parents.withLock { parents in
                if let position = parents.firstIndex(of: parent) { return .parent(position) }
                guard parents.count < Self.most else { return nil }
                parents.append(parent)
                return .parent(parents.count - 1)
            }
        }
    }
}
