import LiveServers
import Sallyport
import Testing

/// What happens to passwords at one real server, with bad log-ons counted by the server.
///
/// `connections` is 1 for requests that follow each other on one connection, or the number of requests that begin at once,
/// each on a connection of its own.
enum LockoutScenario {
    static let connections = [1, 64]
    /// Longer than the time after a success in which many attempts may begin at once.
    static let quietTime = Duration.milliseconds(300)
    /// How long requests wait for an attempt with a proven password. If it has no response until then, they begin.
    private static let slowPage = Duration.seconds(2)

    /// The requests of a round.
    private static func requests(_ server: GuardedServer, _ connections: Int, tunnels: Bool) throws -> [LiveRequest] {
        try (0..<max(connections, 6)).map { tunnels ? try server.tunnel() : try server.request($0) }
    }

    /// Sends a round of requests to pages that every user may see, or of tunnels.
    static func round(
        _ client: LiveClient,
        _ server: GuardedServer,
        _ connections: Int,
        tunnels: Bool = false
    ) async throws -> [LiveClient.Reply] {
        let requests = try requests(server, connections, tunnels: tunnels)
        return try await client.send(requests, atOnce: connections > 1)
    }

    /// The right password lets every request in. A wrong one is sent once.
    static func rightAndWrong(_ server: GuardedServer, _ connections: Int, tunnels: Bool = false) async throws {
        _ = try server.takeBadLogOns()
        let right = LiveClient(try server.handler())
        for _ in 0..<2 {
            let replies = try await round(right, server, connections, tunnels: tunnels)
            #expect(replies.filter { !$0.isIn } == [])
        }
        #expect(try server.takeBadLogOns() == 0)

        let wrong = LiveClient(try server.handler(password: "Wrong-Horse"))
        let first = try await round(wrong, server, connections, tunnels: tunnels)
        #expect(first.filter { !$0.isWithheld } == [])
        #expect(first.count { $0.isRefused } == 1)
        #expect(try server.takeBadLogOns() == 1)
        let second = try await round(wrong, server, connections, tunnels: tunnels)
        #expect(second.filter { !$0.isWithheld || $0.isRefused } == [])
        #expect(try server.takeBadLogOns() == 0)
    }

    /// A password that is changed on the server while no request runs is refused twice at most, and not sent again. The new
    /// password lets every request in.
    static func changed(_ server: GuardedServer, _ connections: Int) async throws {
        let client = LiveClient(try server.handler())
        #expect(try await round(client, server, connections).filter { !$0.isIn } == [])
        client.closeConnections()
        try server.change(to: "New-Horse")
        try await Task.sleep(for: quietTime)
        _ = try server.takeBadLogOns()

        let begin = ContinuousClock.now
        let replies = try await round(client, server, connections)
        #expect(replies.filter { !$0.isWithheld } == [])
        let count = try server.takeBadLogOns()
        // On a busy machine the refusal may come later than requests wait for it.
        let isSlow = ContinuousClock.now - begin >= slowPage
        #expect(1...(isSlow ? connections + 1 : 2) ~= count, "\(count) bad log-ons")
        for _ in 0..<2 { #expect(try await round(client, server, connections).filter { !$0.isWithheld } == []) }
        #expect(try server.takeBadLogOns() <= max(0, 2 - count))

        try client.handler.updateUserCredentials(account: "account", password: SharedSecret(utf8: "New-Horse"))
        let updated = try await round(client, server, connections)
        #expect(updated.filter { !$0.isIn } == [])
        #expect(try server.takeBadLogOns() == 0)
        try server.change(to: GuardedServer.password)
    }

    /// An account that may see all pages but one sees all but that one, and loses nothing else.
    static func forbidden(_ server: GuardedServer, _ connections: Int) async throws {
        let client = LiveClient(try server.handler())
        #expect(try await client.send(server.request(0)).isIn)
        _ = try server.takeBadLogOns()
        for _ in 0..<2 {
            // Every eighth request is for the page that is not allowed.
            var requests: [LiveRequest] = []
            for index in 0..<max(connections, 16) {
                requests.append(try index % 8 == 3 ? server.forbiddenRequest() : server.request(index))
            }
            let replies = try await client.send(requests, atOnce: connections > 1)
            let wrong = replies.enumerated().filter { index, reply in
                index % 8 == 3 ? !reply.isWithheld : !reply.isIn
            }
            #expect(wrong.map(\.element) == [])
        }
        #expect(try await client.send(server.request(1)).isIn)
        #expect(try server.takeBadLogOns() == 0)
    }

    /// A password that is changed under load: what was in flight is refused, then at most one attempt more.
    static func changedUnderLoad(_ server: GuardedServer, connections: Int) async throws {
        // Without connections that stay authenticated every request is an attempt.
        let client = LiveClient(try server.handler(), keepsConnections: false)
        #expect(try await client.send(server.request(0)).isIn)
        _ = try server.takeBadLogOns()
        let pages = try requests(server, connections, tunnels: false)
        let limit = ContinuousClock.now + Patience.limit
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for worker in 0..<connections {
                group.addTask {
                    var number = worker
                    while ContinuousClock.now < limit {
                        number += 1
                        if try await client.send(pages[number % pages.count]).isWithheld { return true }
                    }
                    return false
                }
            }
            try await Task.sleep(for: .milliseconds(400))
            try server.change(to: "New-Horse")
            for try await isWithheld in group { #expect(isWithheld, "the old password is still accepted") }
        }
        let count = try server.takeBadLogOns()
        #expect(1...connections + 1 ~= count, "\(count) bad log-ons")
        #expect(try await round(client, server, connections).filter { !$0.isWithheld } == [])
        let after = try server.takeBadLogOns()
        #expect(after <= 1, "\(after) bad log-ons")
        #expect(try await round(client, server, connections).filter { !$0.isWithheld } == [])
        #expect(try server.takeBadLogOns() == 0)
        print("\(server.kind): \(count) bad log-ons for a password that was changed under load, \(after) after that")
        try server.change(to: GuardedServer.password)
    }

    /// A wrong password of a domain account is sent to two of ten hosts at most.
    static func tenHosts(_ server: GuardedServer, _ connections: Int) async throws {
        let handler = try server.handler(password: "Wrong-Horse", host: "*.acme.test", domain: ServerScript.domain)
        let client = LiveClient(handler)
        var requests: [LiveRequest] = []
        for index in 0..<max(connections, 10) {
            requests.append(try server.request(index, host: "h\(index % 10).acme.test"))
        }
        _ = try server.takeBadLogOns()
        let replies = try await client.send(requests, atOnce: connections > 1)
        #expect(replies.filter { !$0.isWithheld } == [])
        let count = try server.takeBadLogOns()
        #expect(1...2 ~= count, "\(count) bad log-ons")
        #expect(try await client.send(requests, atOnce: connections > 1).filter { !$0.isWithheld } == [])
        #expect(try server.takeBadLogOns() == 0)
    }
}

extension LiveClient.Reply {
    /// Whether the page came.
    var isIn: Bool {
        if case .withheld = outcome { return false }
        return status == 200
    }

    /// Whether the request ended without the page, because a password is not sent or was refused.
    var isWithheld: Bool {
        guard case .withheld(let refusal, _) = outcome else { return false }
        return switch refusal {
        case .credentialsRefused, .budgetSpent, .pathWithheld, .accountPaused: true
        // mod_auth_gssapi on an authenticated connection, for a page that the user may not see.
        case .malformedChallenge(nil): true
        default: false
        }
    }

    /// Whether the party refused the password of this request.
    var isRefused: Bool {
        guard case .withheld(.credentialsRefused, _) = outcome else { return false }
        return true
    }
}
