#if canImport(Security)
    internal import CoreFoundation
    internal import Secrets
    internal import Security
    internal import WireFormat

    /// The generic passwords of the Keychain whose service is the schema of our items.
    struct KeychainConnection: KeyringAccess {
        func count(_ pairs: [KeyringPair]) throws(CredentialStoreError.Problem) -> Int { try items(pairs).count }

        func records(_ pairs: [KeyringPair]) throws(CredentialStoreError.Problem) -> [StoredCredential] {
            var records = KeyringRecords()
            // The Keychain gives the secrets of several items only one by one.
            for item in try items(pairs) {
                let query = KeychainQuery(account: item.account)
                query.set(kSecReturnData, kCFBooleanTrue)
                // Another process may have removed it meanwhile.
                guard let secret = try query.find() else { continue }
                let record = CoreValues.withBytes(try KeychainQuery.cast(secret, to: CFData.self, CFDataGetTypeID())) {
                    bytes in
                    KeychainAccount.name(item.account).flatMap {
                        KeyringValue.decode(bytes, of: $0, written: item.written)
                    }
                }
                try records.add(record, written: item.written)
            }
            return records.all
        }

        func save(_ secret: SharedSecret, _ pairs: [KeyringPair], label: String) throws(CredentialStoreError.Problem) {
            let account = KeychainAccount.text(of: pairs)
            var bytes = secret.withBytes { [UInt8](copying: $0) }
            defer { erase(&bytes) }
            let value = CoreValues.data(bytes)
            let changes = KeychainQuery()
            changes.set(kSecValueData, value)
            changes.set(kSecAttrLabel, CoreValues.text(label))
            var status = SecItemUpdate(KeychainQuery(account: account).dictionary, changes.dictionary)
            if status == errSecItemNotFound {
                let item = KeychainQuery(account: account)
                item.set(kSecValueData, value)
                item.set(kSecAttrLabel, CoreValues.text(label))
                #if !os(macOS)
                    // A request in the background may need it while the device is locked. Copies of the device do not get it.
                    item.set(kSecAttrAccessible, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
                #endif
                status = SecItemAdd(item.dictionary, nil)
                // Another process has added it meanwhile; the later one wins.
                if status == errSecDuplicateItem {
                    status = SecItemUpdate(KeychainQuery(account: account).dictionary, changes.dictionary)
                }
            }
            try KeychainQuery.check(status, "keep a secret")
        }

        func remove(_ pairs: [KeyringPair]) throws(CredentialStoreError.Problem) -> Int {
            var count = 0
            for item in try items(pairs) {
                let status = SecItemDelete(KeychainQuery(account: item.account).dictionary)
                if status == errSecItemNotFound { continue }
                try KeychainQuery.check(status, "remove an item")
                count += 1
            }
            return count
        }

        /// The items with these attributes, without their secrets.
        private func items(
            _ pairs: [KeyringPair]
        ) throws(CredentialStoreError.Problem) -> [(account: String, written: Int64)] {
            let query = KeychainQuery.ofService()
            query.set(kSecMatchLimit, kSecMatchLimitAll)
            query.set(kSecReturnAttributes, kCFBooleanTrue)
            guard let found = try query.find() else { return [] }
            var items: [(account: String, written: Int64)] = []
            for value in CoreValues.values(try KeychainQuery.cast(found, to: CFArray.self, CFArrayGetTypeID())) {
                let attributes = try KeychainQuery.cast(value, to: CFDictionary.self, CFDictionaryGetTypeID())
                guard let account = KeychainQuery.value(attributes, kSecAttrAccount),
                    let date = KeychainQuery.value(attributes, kSecAttrModificationDate),
                    let text = CoreValues.string(
                        try KeychainQuery.cast(account, to: CFString.self, CFStringGetTypeID())
                    )
                else { throw .keyring(.foreignItem) }
                guard KeychainAccount.matches(text, pairs) else { continue }
                let time = CFDateGetAbsoluteTime(try KeychainQuery.cast(date, to: CFDate.self, CFDateGetTypeID()))
                items.append((text, Int64((time + kCFAbsoluteTimeIntervalSince1970).rounded(.down))))
            }
            return items
        }
    }

    /// A dictionary of Core Foundation, as the calls of the Keychain take them.
    private struct KeychainQuery {
        let dictionary: CFMutableDictionary

        init() {
            var (keys, values) = unsafe (kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks)
            dictionary = unsafe CFDictionaryCreateMutable(nil, 0, &keys, &values)
        }

        /// What finds our items.
        static func ofService() -> KeychainQuery {
            let query = KeychainQuery()
            query.set(kSecClass, kSecClassGenericPassword)
            query.set(kSecAttrService, CoreValues.text(KeyringProblem.schema))
            return query
        }

        init(account: String) {
            self = Self.ofService()
            set(kSecAttrAccount, CoreValues.text(account))
        }

        func set(_ key: CFString, _ value: AnyObject) {
            let (key, value) = unsafe (Unmanaged.passUnretained(key), Unmanaged.passUnretained(value))
            // The dictionary keeps both.
            unsafe CFDictionarySetValue(dictionary, key.toOpaque(), value.toOpaque())
        }

        /// What the Keychain has for it; `nil` for nothing.
        func find() throws(CredentialStoreError.Problem) -> AnyObject? {
            var found: AnyObject?
            let status = unsafe SecItemCopyMatching(dictionary, &found)
            if status == errSecItemNotFound { return nil }
            try Self.check(status, "search the keyring")
            return found
        }

        static func check(_ status: OSStatus, _ operation: String) throws(CredentialStoreError.Problem) {
            guard status != errSecSuccess else { return }
            let text = SecCopyErrorMessageString(status, nil).flatMap { CoreValues.string($0) }
            let line = LibraryText.line(text ?? "no reason")
            throw .keyring(KeyringProblem(keychainStatus: status, operation, text: line))
        }

        static func value(_ dictionary: CFDictionary, _ key: CFString) -> AnyObject? {
            // The dictionary keeps the value meanwhile.
            unsafe CFDictionaryGetValue(dictionary, Unmanaged.passUnretained(key).toOpaque()).map {
                unsafe Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
            }
        }

        /// The value as its type of Core Foundation, for which Swift has no check of its own.
        static func cast<Value: AnyObject>(
            _ value: AnyObject,
            to type: Value.Type,
            _ identifier: CFTypeID
        ) throws(CredentialStoreError.Problem) -> Value {
            guard CFGetTypeID(value) == identifier else { throw .keyring(.foreignItem) }
            // The line above.
            return unsafe unsafeDowncast(value, to: type)
        }
    }
#endif
