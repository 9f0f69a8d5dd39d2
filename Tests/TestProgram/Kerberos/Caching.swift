import Foundation
import Secrets
import SystemKerberos

/// Asks for one source's credential by many tasks, with the right and with a wrong password.
struct Caching {
    let options: Options
    let library: KerberosLibrary

    func run() async throws {
        let credentials = KerberosCredentialCache(library: library)
        let worker = KerberosWorker()
        for round in 0..<options.number("rounds", 1) {
            let source = options.source
            var outcomes: [String: Int] = [:]
            await withTaskGroup(of: String.self) { group in
                for _ in 0..<options.number("count", 8) {
                    group.addTask {
                        do {
                            let credential = try await worker.run { () throws(KerberosError) in
                                try credentials.credential(for: source)
                            }
                            return credential.principal ?? "-"
                        } catch let error as KerberosError { return "\(error.reason)" } catch { return "\(error)" }
                    }
                }
                for await outcome in group { outcomes[outcome, default: 0] += 1 }
            }
            for (outcome, number) in outcomes.sorted(by: { $0.key < $1.key }) { say("\(round) \(outcome) \(number)") }
        }
        guard let other = options["then"] else { return }
        // The right password's credential is not for who has another one.
        say("then \(outcome(credentials, .password(SharedSecret(utf8: other), principal: options["principal"] ?? "")))")
        say("back \(outcome(credentials, options.source))")
        // It is remembered that the other one was refused.
        say("then \(outcome(credentials, .password(SharedSecret(utf8: other), principal: options["principal"] ?? "")))")
    }

    private func outcome(_ credentials: KerberosCredentialCache, _ source: KerberosCredentialSource) -> String {
        do throws(KerberosError) { return try credentials.credential(for: source).principal ?? "-" } catch {
            return "\(error.reason)"
        }
    }
}
