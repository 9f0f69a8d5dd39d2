import NTLM

/// A CHALLENGE that a real server sent: Apache with mod_auth_gssapi and gss-ntlmssp.
enum RealChallenge {
    static let apache = """
        TlRMTVNTUAACAAAACAAIADgAAAA1goniNKMR2z1CEIoAAAAAAAAAAFoAWgBAAAAABgIAAAAAAA9BAEMATQBFAAEACg\
        BXAEUAQgAwADEAAgAIAEEAQwBNAEUAAwAkAHcAZQBiADAAMQAuAGEAYwBtAGUALgBlAHgAYQBtAHAAbABlAAYABAAA\
        AAAABwAIABSXRJhled0BAAAAAA==
        """

    /// The time in its target information.
    static let time = FileTime(rawValue: 134397041144272660)
}
