import Foundation
import SystemKerberos

/// Log-ons through a worker: many at a time, with time limits, and cancelled.
struct Waiting {
    let options: Options
    let library: KerberosLibrary

    func run() async throws {
        let worker = KerberosWorker(
            threads: options.number("threads", 4),
            maximumWaiting: options.number("waiting", 256),
            timeLimit: .milliseconds(options.number("limit", 600_000))
        )
        let credentials = KerberosCredentialCache(library: library)
        let count = options.number("count", 1)
        let start = ContinuousClock.now
        let tasks = (0..<count).map { _ in Task { try await logOn(worker, credentials) } }
        if let milliseconds = options["cancel"].flatMap({ Int($0) }) {
            try await Task.sleep(for: .milliseconds(milliseconds))
            for task in tasks { task.cancel() }
        }
        var outcomes: [String: Int] = [:]
        for task in tasks {
            do { outcomes[try await task.value, default: 0] += 1 } catch let error as KerberosError {
                outcomes["\(error.reason)", default: 0] += 1
            } catch is CancellationError { outcomes["cancelled", default: 0] += 1 }
        }
        let spent = start.duration(to: .now) / .milliseconds(1)
        for (outcome, number) in outcomes.sorted(by: { $0.key < $1.key }) { say("\(outcome) \(number)") }
        say("milliseconds \(Int(spent))")
    }

    private func logOn(_ worker: KerberosWorker, _ credentials: KerberosCredentialCache) async throws -> String {
        let (options, library) = (options, library)
        let client = KerberosExchange(on: worker) { () throws(KerberosError) in
            try KerberosInitiator(
                credential: try credentials.credential(for: options.source),
                service: try options.service(library),
                options: options.initiator
            )
        }
        let server = KerberosExchange(on: worker) { () throws(KerberosError) in
            try KerberosAcceptor(
                credential: try KerberosCredential(acceptingWith: options["keytab"], library: library),
                options: options.acceptor
            )
        }
        let request = try await client.step([])
        let answer = try await server.step(request.token)
        let end = try await client.step(answer.token)
        guard end.isComplete else { return "unfinished" }
        let name = try server.withContext { (context) throws(KerberosError) in context.client }
        server.end()
        do {
            try server.withContext { (_) throws(KerberosError) in }
            return "usable after its end"
        } catch { return name ?? "nobody" }
    }
}
