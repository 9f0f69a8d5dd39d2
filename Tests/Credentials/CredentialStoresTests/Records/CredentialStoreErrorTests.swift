import Foundation
import Testing

@testable import CredentialStores

@Suite struct CredentialStoreErrorTests {
    static let problems: [CredentialStoreError.Problem] = [
        .missing, .exists, .notASealedFile, .newerVersion(found: 2, known: 1), .truncated(bytes: 1, needed: 2),
        .damaged(.header), .damaged(.keySlots), .damaged(.records), .damaged(.seal), .tooLarge(bytes: 1), .wrongKey,
        .noKeySlot(.passphrase), .noKeySlot(.keyFile), .noKeySlot(.systemdCredential), .othersMayUse(mode: 0o640),
        .notOwned, .lockedTooLong(milliseconds: 1), .diskFull, .readOnly, .rolledBack(seen: 2, found: 1), .replaced,
        .keyRenewed, .tooManyRecords, .tooManyRecordsForHost, .tooManyKeySlots, .lastKeySlot, .noSuchKeySlot(1),
        .tooLong(.user, bytes: 2, limit: 1), .malformedKind, .emptySecret, .emptyPassphrase, .keyLength(bytes: 1),
        .malformedCredentialName, .noCredentialsDirectory, .noMemoryForPassphrase,
        .system(operation: "open the file", code: EISDIR),
    ]

    @Test("Each error is one line: the place, the problem and the remedy", arguments: problems)
    func lines(problem: CredentialStoreError.Problem) {
        let text = CredentialStoreError(place: "/var/lib/store", problem: problem).description
        let parts = text.split(separator: ": ")
        #expect(parts.count == 3 && parts[0] == "/var/lib/store", "\(text)")
        #expect(!text.contains("\n") && !text.hasSuffix("."), "\(text)")
    }

    @Test("Modes and sizes are those that the reader meets") func numbers() {
        #expect("\(CredentialStoreError.Problem.othersMayUse(mode: 0o640))".contains("mode 640"))
        #expect("\(CredentialStoreError.Problem.keyLength(bytes: 33))".contains("33 bytes instead of 32"))
        #expect(
            "\(CredentialStoreError.Problem.tooLong(.user, bytes: 2, limit: 1))"
                == "the user has 2 bytes, of at most 1: shorten it"
        )
    }
}
