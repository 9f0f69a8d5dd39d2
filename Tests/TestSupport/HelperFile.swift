package import Foundation

/// The files of a wing's tests that are not Swift: programs in Python, tables, certificates. They lie in `Tests/WING/Helpers`, outside of
/// the folders that the compiler reads.
package enum HelperFile {
    /// - Parameter test: a file of the wing's tests.
    package static func url(_ name: String, of test: String = #filePath) -> URL {
        var wing = URL(filePath: test)
        while wing.deletingLastPathComponent().lastPathComponent != "Tests", wing.path != "/" {
            wing.deleteLastPathComponent()
        }
        return wing.appending(path: "Helpers/\(name)")
    }

    /// The same as a path.
    package static func path(_ name: String, of test: String = #filePath) -> String {
        url(name, of: test).path(percentEncoded: false)
    }
}
