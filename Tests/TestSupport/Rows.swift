package import Testing

/// Says which rows of `Tests/Capabilities/capabilities.toml` a test shows.
///
/// `Tests/Capabilities/table` reads the marks in the source; they change nothing about the test.
package struct Rows: TestTrait, SuiteTrait {
    package let numbers: [Int]
}

extension Trait where Self == Rows {
    /// The test shows these rows of the table of capabilities.
    package static func row(_ numbers: Int...) -> Self { Rows(numbers: numbers) }
}
