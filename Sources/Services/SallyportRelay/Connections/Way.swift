internal import Synchronization

/// How a request leaves the relay.
enum Way: Hashable, Sendable {
    case direct
    /// The position of the proxy in ``ParentTable``.
    case parent(Int)

    var parent: Int? { if case .parent(let parent) = self { parent } else { nil } }
}

/// The proxies of a relay, by their positions: first those of the settings, then those that a ``ProxyChooser`` names.
final class ParentTable: Sendable {
    /// The most proxies: a script could make up a name for each server.
    static let most = 64

    private let parents: Mutex<[RelayParent]>

    init(_ parents: [RelayParent]) { self.parents = Mutex(parents) }

    subscript(position: Int) -> RelayParent { parents.withLock { $0[position] } }

    /// The ways of `choices`; those to proxies over the bound are left out.
    func ways(_ choices: [RelayRoute]) -> [Way] {
        var ways: [Way] = []
        for choice in choices {
            guard let way = way(choice), !ways.contains(way) else { continue }
            ways.append(way)
        }
        return ways
    }

    private func way(_ choice: RelayRoute) -> Way? {
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
