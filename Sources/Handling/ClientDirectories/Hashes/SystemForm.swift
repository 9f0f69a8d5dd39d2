/// The hashes of the system's crypt that are taken, whole and with a cost that a server can bear. Those of DES, which have no beginning, count
/// eight characters of a password.
enum SystemForm {
    /// The most rounds of bcrypt, as a power of two: about a second.
    private static let mostBcryptRounds = 14
    /// The most rounds of SHA-crypt: about a second.
    private static let mostSHARounds = 1_000_000

    /// Whether a hash is whole, and not too costly.
    static func takes(_ text: String) -> Bool {
        let parts = text.dropFirst().split(separator: "$", omittingEmptySubsequences: false)
        guard text.first == "$", parts.count >= 3,
            parts.allSatisfy({ $0.allSatisfy(isDigit) || $0.hasPrefix("rounds=") })
        else { return false }
        let rest = parts.dropFirst()
        switch parts[0] {
        case "1": return rest.count == 2 && rest.last?.count == 22
        case "2a", "2b", "2y":
            guard rest.count == 2, parts[1].count == 2, let cost = Int(parts[1]) else { return false }
            return (4...mostBcryptRounds).contains(cost) && parts[2].count == 53
        case "5": return takesSHA(rest, 43)
        case "6": return takesSHA(rest, 86)
        // Of yescrypt the second of three parameters says how much memory: 2^15 blocks at most, of the size that mkpasswd writes.
        case "y":
            let parameters = Array(parts[1])
            return rest.count == 3 && parameters.count == 3 && parameters[0] == "j" && "5T".contains(parameters[2])
                && "./0123456789ABC".contains(parameters[1]) && rest.last?.count == 43
        default: return false
        }
    }

    private static func takesSHA(_ parts: ArraySlice<Substring>, _ digits: Int) -> Bool {
        var parts = parts
        if let rounds = parts.first, rounds.hasPrefix("rounds=") {
            guard let count = Int(rounds.dropFirst(7)), (1...mostSHARounds).contains(count) else { return false }
            parts = parts.dropFirst()
        }
        return parts.count == 2 && parts.last?.count == digits
    }

    /// The alphabet of crypt's digits and salts.
    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "." || character == "/")
    }
}
