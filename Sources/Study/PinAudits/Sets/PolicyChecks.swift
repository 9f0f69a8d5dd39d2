internal import Hostnames
internal import SPKIPins

/// What is wrong between the entries of one policy.
struct PolicyChecks {
    let policy: [PinPolicy.Entry]
    let index: PatternIndex

    init(of policy: [PinPolicy.Entry]) {
        self.policy = policy
        index = PatternIndex(of: policy)
    }

    /// Why the policy does not compile; expiries are left to `EntryChecks`.
    func refusal() -> PinPolicyError? {
        do throws(PinPolicyError) {
            _ = try PinPolicy(compiling: policy, version: 0, at: .min)
            return nil
        } catch {
            return error
        }
    }

    /// What is wrong with the pattern of an entry beside those of the others.
    func patternProblems(of entry: Int) -> [PinSetProblem] {
        guard let pattern = index.patterns[entry] else { return [] }
        var problems: [PinSetProblem] = []
        if let wider = index.wider(than: entry), !pins(of: wider).isSubset(of: pins(of: entry)),
            let other = index.patterns[wider]
        {
            problems.append(.shadows(pattern: "\(other)"))
        }
        if pattern.breadth == .oneLabel, index.deciding(for: pattern.base) == nil {
            problems.append(.apexGap(host: "\(pattern.base)"))
        }
        return problems
    }

    private func pins(of entry: Int) -> Set<Pin> {
        Set((policy[entry].pins + policy[entry].backupPins).map(\.pin))
    }
}
