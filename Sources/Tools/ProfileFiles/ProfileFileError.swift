/// Why a profile file cannot be used.
public struct ProfileFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// The line, from 1; absent when the whole file is meant.
    public let line: Int?
    /// The field, such as `accounts[2].password.file`; absent for syntax errors.
    public let field: String?
    /// What is wrong and what to do.
    public let problem: String

    /// One line: where, which field, what, and what to do.
    public var description: String {
        "\(path)\(line.map { ":\($0)" } ?? ""): \(field.map { "\($0): " } ?? "")\(problem)"
    }
}
