// `import Sallyport` brings every type of its public signatures.

@_exported public import AllowedSites
@_exported public import Authenticator
@_exported public import ChallengeHandling
@_exported public import ClientIdentities
@_exported public import CredentialSources
@_exported public import CredentialStores
@_exported public import Credentials
@_exported public import HTTPAuthentication
@_exported public import HTTPTypes
@_exported public import Hostnames
@_exported public import NTLM
@_exported public import Negotiate
@_exported public import SPKIPins
@_exported public import Secrets
@_exported public import TokenProofs
@_exported public import Tokens
