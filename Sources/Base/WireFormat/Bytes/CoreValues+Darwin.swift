#if canImport(Security)
    package import CoreFoundation

    /// Texts, bytes and lists of Core Foundation, without Foundation's bridges.
    package enum CoreValues {
        package static func text(_ text: String) -> CFString {
            let utf8 = Array(text.utf8)
            // In bounds: the array's own count. UTF-8 of a String is valid, so there is a result.
            return unsafe CFStringCreateWithBytes(nil, utf8, utf8.count, CFStringBuiltInEncodings.UTF8.rawValue, false)
        }

        /// The same text; `nil` if it has half a surrogate pair.
        package static func string(_ text: CFString) -> String? {
            let (all, utf8) = (
                CFRange(location: 0, length: CFStringGetLength(text)), CFStringBuiltInEncodings.UTF8.rawValue
            )
            var count: CFIndex = 0
            guard unsafe CFStringGetBytes(text, all, utf8, 0, false, nil, 0, &count) == all.length else { return nil }
            var bytes = [UInt8](repeating: 0, count: count)
            // In bounds: the count that the same text had a line above.
            _ = unsafe CFStringGetBytes(text, all, utf8, 0, false, &bytes, count, nil)
            return String(validating: bytes, as: UTF8.self)
        }

        package static func data(_ bytes: [UInt8]) -> CFData {
            // In bounds: the array's own count.
            unsafe CFDataCreate(nil, bytes, bytes.count)
        }

        /// Calls `body` with the bytes; it must not keep them.
        package static func withBytes<Result>(_ data: CFData, _ body: (Span<UInt8>) -> Result) -> Result {
            // In bounds: the two belong together, and `data` lives until the end of the call. Without bytes there may be no address.
            let bytes = unsafe UnsafeBufferPointer(start: CFDataGetBytePtr(data), count: CFDataGetLength(data))
            let result = unsafe body(bytes.span)
            withExtendedLifetime(data) {}
            return result
        }

        /// A list that keeps its values.
        package static func list(_ values: [AnyObject]) -> CFArray {
            var callbacks = unsafe kCFTypeArrayCallBacks
            let list: CFMutableArray = unsafe CFArrayCreateMutable(nil, 0, &callbacks)
            for value in values { unsafe CFArrayAppendValue(list, Unmanaged.passUnretained(value).toOpaque()) }
            return list
        }

        /// The values of a list.
        package static func values(_ list: CFArray) -> [AnyObject] {
            (0..<CFArrayGetCount(list)).compactMap { index in
                // In bounds: the range above. The list keeps the value meanwhile.
                guard let value = unsafe CFArrayGetValueAtIndex(list, index) else { return nil }
                return unsafe Unmanaged<AnyObject>.fromOpaque(value).takeUnretainedValue()
            }
        }
    }
#endif
