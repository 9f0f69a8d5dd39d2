package import Foundation

/// The programs that are built with the tests.
package enum BuiltProgram {
    /// Their folder, which is that of the test bundle.
    package static let folder = URL(filePath: CommandLine.arguments.first ?? "").deletingLastPathComponent()

    /// The path of the executable of a product or target.
    package static func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    /// What the tests run in processes of their own.
    package static let forTests = path("TestProgram")
    /// The command line.
    package static let sallyport = path("sallyport")
}
