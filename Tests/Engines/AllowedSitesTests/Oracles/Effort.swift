import Foundation

/// How much a test of many random cases does: a little by default, all of it where `SALLYPORT_THOROUGH` is set.
enum Effort {
    static func rounds(_ usual: Int, thorough: Int) -> Int {
        ProcessInfo.processInfo.environment["SALLYPORT_THOROUGH"] == nil ? usual : thorough
    }
}
