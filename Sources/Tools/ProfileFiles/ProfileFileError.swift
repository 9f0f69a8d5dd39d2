/// Why a profile file cannot be used.
public struct ProfileFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// The line, from 1; `nil` for an error of the whole file.
    public let line: Int?
    /// The field, such as `accounts[2].password.file`; `nil` for syntax errors.
    public let field: String?
    /// The problem and the remedy.
    public let problem: String

    /// One line: file, line, field, problem and remedy.
    public var description: String {
        "\(path)\(line.map { ":\($0)" } ?? ""): \(field.map { "\($0): " } ?? "")\(problem)"
    }
}
