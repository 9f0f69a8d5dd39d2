internal import SPKIPins

extension ProfileError {
    /// The name of the account or identity with the error, so that a reader of files can find its line.
    package var owner: String? {
        switch self {
        case .duplicateName(let name), .assignmentWithoutSites(let name), .invalidAssignmentRule(let name, _, _),
            .exceptionAssigned(let name, _), .ruleAssignedTwice(_, _, let name), .invalidPassword(let name, _),
            .invalidAccount(let name, _), .invalidCertificate(let name, _), .domainTwice(let name, _),
            .backslashes(let name, _), .noSchemeForCredential(let name, _), .invalidPlacement(let name, _):
            name
        case .tooManyRules, .schemeNotAnswerable, .duplicateScheme, .pins, .unknownAccount: nil
        }
    }

    /// The index of the pin entry with the error.
    package var pinEntry: Int? {
        guard case .pins(let error) = self else { return nil }
        return switch error {
        case .empty, .tooManyEntries, .unreadableCertificate, .crowdedHosts, .unusableImage: nil
        case .tooManyPins(let entry, _, _), .invalidPattern(let entry, _), .duplicatePattern(let entry, _),
            .noPins(let entry), .noBackupPin(let entry), .noReason(let entry), .duplicatePin(let entry, _),
            .backupIsPrimary(let entry, _), .alreadyExpired(let entry, _, _), .forbiddenIsExpected(let entry, _),
            .backupHasPrimaryKey(let entry, _), .backupOfSameAuthority(let entry, _), .crowdedPins(let entry, _):
            entry
        }
    }
}
