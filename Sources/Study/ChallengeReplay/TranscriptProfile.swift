internal import AllowedSites
internal import ChallengeHandling
internal import Corpora
internal import Credentials
internal import HTTPAuthentication
internal import Secrets

/// Makes a profile of what a transcript says. Each password is a placeholder of its number, so that equal ones stay equal.
enum TranscriptProfile {
    static func password(_ account: RecordedProfile.Account) -> SharedSecret {
        SharedSecret(utf8: "placeholder \(account.password)")
    }

    static func profile(_ recorded: RecordedProfile) throws(ReplayError) -> SecurityProfile {
        guard let sites = recorded.sites else {
            throw .transcript("has no list of sites: name the profile with --profile")
        }
        do {
            // The rules were accepted before, so wildcards over public suffixes were permitted.
            let text = (["#! allow-public-suffix"] + sites).joined(separator: "\n")
            var accounts: [AccountAssignment] = []
            for account in recorded.accounts { accounts.append(try assignment(account)) }
            return SecurityProfile(
                sites: try SiteList(parsing: text, name: "transcript"),
                schemes: recorded.schemes.map { AuthenticationScheme($0) },
                accounts: accounts,
                lockout: lockout(recorded.lockout)
            )
        } catch let error as ReplayError {
            throw error
        } catch {
            throw .transcript("has a profile that cannot be used: \(error)")
        }
    }

    private static func assignment(_ account: RecordedProfile.Account) throws(ReplayError) -> AccountAssignment {
        guard let form = Account.UserForm(rawValue: account.userForm) else {
            throw .transcript("has the user form '\(account.userForm)': expected bare, backslash or at")
        }
        guard account.weakest == "md5" || account.weakest == "sha-256" else {
            throw .transcript("has the algorithm '\(account.weakest)': expected md5 or sha-256")
        }
        return AccountAssignment(
            Account(
                name: account.name,
                user: account.user,
                domain: account.domain,
                credential: .password(password(account)),
                userForm: form
            ),
            sites: account.sites,
            schemes: account.schemes?.map { AuthenticationScheme($0) },
            allowsCleartext: account.cleartext,
            allowsDowngrade: account.downgrade,
            allowsUnbound: account.unbound,
            digest: DigestRules(
                allowsMissingQop: account.missingQop,
                weakest: account.weakest == "md5" ? .md5 : .sha2
            )
        )
    }

    private static func lockout(_ recorded: RecordedProfile.Lockout) -> LockoutRules {
        var rules = LockoutRules()
        rules.maximumRefusals = recorded.maximumRefusals
        rules.observationWindow = .nanoseconds(recorded.observationWindow)
        rules.attemptLimit = .nanoseconds(recorded.attemptLimit)
        rules.withholding = .nanoseconds(recorded.withholding)
        rules.refusalLifetime = recorded.refusalLifetime.map { .nanoseconds($0) }
        rules.isOneAtATime = recorded.oneAtATime
        return rules
    }
}
