internal import HTTPAuthentication
internal import Hostnames
internal import OfflineVerbs
internal import Sallyport
internal import SallyportNIO
internal import SallyportRelay

/// `sallyport relay --check URL`: says step by step whether the relay would work, and why not.
struct RelayCheckReport: Sendable {
    let plan: RelayPlan
    let url: String
    let isJSON: Bool

    /// - Returns: whether every step succeeded.
    func run() async throws -> Bool {
        let request: OutgoingRequest
        do { request = try OutgoingRequest(url: url) } catch { throw RelayProblem.checkedURL("\(error)") }
        // Without roots of the system a check of plain http still works.
        let isSecure = request.origin.scheme == .https || plan.hasSecureParent
        let tls = isSecure ? try plan.connector() : nil
        var isGood = true
        for parent in try await plan.parents(for: request.origin) {
            if !isJSON, plan.parents.count > 1 { try StandardOutput.write("\(parent)\n") }
            var settings = plan.settings
            settings.parents = [parent]
            let check = RelayCheck(plan.authenticator, settings, tls: tls)
            let result = try await check.run(request.origin, path: request.target) { finding in
                try StandardOutput.write(line(finding, parent) + "\n")
            }
            isGood = isGood && result
        }
        return isGood
    }

    private func line(_ finding: RelayCheck.Finding, _ parent: RelayParent) -> String {
        if isJSON {
            return JSONValue.object([
                ("parent", .string("\(parent)")), ("step", .string(finding.step.rawValue)),
                ("result", .string(finding.isGood ? "yes" : "no")),
                ("text", .string(finding.text)),
            ]).text
        }
        let step = finding.step.rawValue
        return
            "\(finding.isGood ? "yes" : "no ")  \(step)\(String(repeating: " ", count: 9 - step.count))\(finding.text.inOneLine)"
    }
}
