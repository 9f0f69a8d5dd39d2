internal import OfflineVerbs

/// Why a PAC file cannot be used, or leads nowhere.
struct PACProblem: Error, Equatable {
    /// The option that named the file.
    let option: String
    /// The file or URL; `nil` where none was found.
    let place: String?
    /// The problem and the remedy.
    let text: String

    init(option: String, place: String?, _ text: String) {
        (self.option, self.place, self.text) = (option, place, text)
    }
}

extension PACProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String { "\(option): \(place.map { "\($0.inOneLine): " } ?? "")\(text)" }
}
