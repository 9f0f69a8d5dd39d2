extension PasswordBudget {
    /// Names an attempt, for another one of the same request.
    struct Companion: Sendable {
        let budget: PasswordBudget
        let number: UInt64
    }

    /// The permission for one attempt. It reports its result once.
    struct Attempt: ~Copyable, Sendable {
        private let budget: PasswordBudget
        private let number: UInt64
        private let place: Place
        private let path: RequestPath
        /// What counts the attempt; `nil` if the state counts it. Later attempts at the same place may begin under it.
        let pass: StandingPass?
        private var isSettled = false
        /// Whether a message that depends on the password was sent.
        var hasSentPassword = false

        /// - Parameter isCounted: whether the budget gets the result.
        init(
            _ budget: PasswordBudget,
            _ number: UInt64,
            _ place: Place,
            path: RequestPath,
            isCounted: Bool = true
        ) {
            self.budget = budget
            self.number = number
            self.place = place
            self.path = path
            pass = nil
            isSettled = !isCounted
        }

        init(_ budget: PasswordBudget, under pass: StandingPass, path: RequestPath) {
            self.budget = budget
            number = pass.number
            place = pass.place
            self.path = path
            self.pass = pass
        }

        /// Names the attempt.
        var companion: Companion { Companion(budget: budget, number: number) }

        /// Whether the password was sent, and the place has not just accepted it. It may have changed since an older success.
        var isInDoubt: Bool {
            guard hasSentPassword, !isSettled else { return false }
            return pass?.stands(budget.now) != true && budget.isInDoubt(place)
        }

        /// Reports the result; a second call has no effect.
        mutating func settle(_ result: AttemptResult) {
            if !isSettled { budget.settle(number, place, path: path, under: pass, result) }
            isSettled = true
        }

        deinit {
            if !isSettled {
                budget.settle(number, place, path: path, under: pass, hasSentPassword ? .unanswered : .unsent)
            }
        }
    }

    /// An attempt that the budget neither holds up nor counts.
    func uncounted(_ place: Place, path: RequestPath) -> Attempt {
        Attempt(self, 0, place, path: path, isCounted: false)
    }
}
