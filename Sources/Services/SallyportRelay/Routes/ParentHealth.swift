internal import NIOCore
internal import Synchronization

/// Which parents take connections; all event loops share it.
///
/// A parent that cannot be reached rests, longer each time, and requests go to the next one. At the end of its rest one connection
/// is tried that carries no request; a request is not the one that finds out, unless the connection shows too little. If all rest, the
/// one whose rest ends first is used.
final class ParentHealth: Sendable {
    /// The first rest; each further one is twice as long, up to the longest.
    static let firstRest = TimeAmount.seconds(1)
    static let longestRest = TimeAmount.seconds(60)

    private struct State {
        var failures = 0
        var rest: NIODeadline?
        var isProbed = false
        /// Whether it rests because it took no connection, and not for what it said on one.
        var isUnreachable = false
    }

    private let states: Mutex<[State]>

    init(count: Int) { states = Mutex([State](repeating: State(), count: count)) }

    /// The first of `ways` that does not rest; `nil` if all of them are in `unreached`.
    func choice(at now: NIODeadline, among ways: [NextHop], without unreached: Set<NextHop> = []) -> NextHop? {
        if ways.count == 1 { return unreached.isEmpty ? ways[0] : nil }
        return states.withLock { states in
            var first: (way: NextHop, end: NIODeadline)?
            for way in ways where !unreached.contains(way) {
                guard let parent = way.parent, parent < states.count, let end = states[parent].rest else { return way }
                if first.map({ end < $0.end }) ?? true { first = (way, end) }
            }
            return first?.way
        }
    }

    /// Adds the states of parents that became known.
    private static func grow(_ states: inout [State], to parent: Int) {
        while states.count <= parent { states.append(State()) }
    }

    /// The parent takes requests. Returns whether it did not before.
    func succeeded(_ parent: Int) -> Bool {
        states.withLock { states in
            guard states.indices.contains(parent), states[parent].failures > 0 else { return false }
            states[parent] = State()
            return true
        }
    }

    /// A connection was opened, and only a request will show whether the parent takes it: its rest ends, and its failures stay.
    func opened(_ parent: Int) {
        states.withLock { states in
            guard states.indices.contains(parent) else { return }
            (states[parent].rest, states[parent].isProbed) = (nil, false)
        }
    }

    /// A connection could not be opened, or could not be used. Returns whether the parent was in use before.
    ///
    /// - Parameter isUnreachable: whether the parent took no connection.
    func failed(_ parent: Int, at now: NIODeadline, isUnreachable: Bool) -> Bool {
        states.withLock { states in
            Self.grow(&states, to: parent)
            states[parent].isUnreachable = isUnreachable
            // Requests that were under way at the same time are one failure.
            if let rest = states[parent].rest, rest > now, !states[parent].isProbed { return false }
            states[parent].isProbed = false
            states[parent].failures = min(states[parent].failures + 1, 16)
            let rest = Self.firstRest.nanoseconds << Int64(states[parent].failures - 1)
            states[parent].rest = now + min(.nanoseconds(rest), Self.longestRest)
            return states[parent].failures == 1
        }
    }

    /// Whether each of `ways` is a parent that rests because it took no connection.
    func areUnreachable(_ ways: [NextHop]) -> Bool {
        states.withLock { states in
            ways.allSatisfy { way in
                guard let parent = way.parent, parent < states.count else { return false }
                return states[parent].rest != nil && states[parent].isUnreachable
            }
        }
    }

    /// The connection that ``due(at:)`` asked for could not be tried.
    func notProbed(_ parent: Int) { states.withLock { $0[parent].isProbed = false } }

    /// Whether each parent is used.
    var areUp: [Bool] { states.withLock { $0.map { $0.rest == nil } } }

    /// The parents whose rest has ended; each is returned to one event loop, which tries it.
    func due(at now: NIODeadline) -> [Int] {
        states.withLock { states in
            let due = states.indices.filter { index in
                guard let rest = states[index].rest else { return false }
                return rest <= now && !states[index].isProbed
            }
            for index in due { states[index].isProbed = true }
            return due
        }
    }
}
