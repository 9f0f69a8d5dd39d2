// `import Sallyport` brings the names that its users write: what handles challenges, what brings credentials, and of the engines and
// schemes what a profile, a source or a client names. The other types of their signatures need no name where they are only passed on;
// who writes one imports its target, which this product has as well.

@_exported public import Authenticator
@_exported public import ChallengeHandling
@_exported public import Credentials
@_exported public import HTTPTypes
@_exported public import Secrets

@_exported public import struct AllowedSites.SiteList
@_exported public import enum AllowedSites.SiteListError
@_exported public import struct AllowedSites.SiteListProblem
@_exported public import struct AllowedSites.SiteRule
@_exported public import enum AllowedSites.SiteVerdict
@_exported public import struct ClientCertificates.IdentityError
@_exported public import enum ClientCertificates.IdentityFiles
@_exported public import struct ClientCertificates.IdentityKey
@_exported public import class ClientCertificates.IdentityRing
@_exported public import struct ClientCertificates.KeyedIdentity
@_exported public import enum CredentialSources.AccountProblem
@_exported public import enum CredentialSources.CredentialOutcome
@_exported public import enum CredentialSources.CredentialPlace
@_exported public import struct CredentialSources.CredentialPlaceError
@_exported public import struct CredentialSources.CredentialQuestion
@_exported public import enum CredentialSources.CredentialReply
@_exported public import protocol CredentialSources.CredentialSource
@_exported public import struct CredentialSources.FixedCredentialSource
@_exported public import struct CredentialSources.GitCredentialError
@_exported public import class CredentialSources.GitCredentialHelper
@_exported public import struct CredentialSources.NetrcError
@_exported public import struct CredentialSources.NetrcSource
@_exported public import struct CredentialSources.SourceChain
@_exported public import struct CredentialSources.SuppliedCredential
@_exported public import enum CredentialSources.TerminalError
@_exported public import struct CredentialSources.TerminalPrompt
@_exported public import struct CredentialStores.CredentialKind
@_exported public import struct CredentialStores.CredentialName
@_exported public import struct CredentialStores.CredentialQuery
@_exported public import struct CredentialStores.CredentialSpace
@_exported public import protocol CredentialStores.CredentialStore
@_exported public import struct CredentialStores.CredentialStoreError
@_exported public import class CredentialStores.KeyringStore
@_exported public import class CredentialStores.MemoryCredentialStore
@_exported public import class CredentialStores.SealedFileStore
@_exported public import struct CredentialStores.StoreGroup
@_exported public import enum CredentialStores.StoreKey
@_exported public import struct CredentialStores.StoredCredential
@_exported public import struct HTTPAuthentication.AuthenticationScheme
@_exported public import struct HTTPAuthentication.Challenge
@_exported public import enum HTTPAuthentication.ChallengeLimits
@_exported public import enum HTTPAuthentication.ChallengedParty
@_exported public import struct HTTPAuthentication.DigestRules
@_exported public import struct HTTPAuthentication.NegotiateRules
@_exported public import struct HTTPAuthentication.PasswordCredential
@_exported public import enum HTTPAuthentication.SchemeSupply
@_exported public import struct Hostnames.Hostname
@_exported public import enum Hostnames.HostnameError
@_exported public import struct Hostnames.Origin
@_exported public import enum Hostnames.OriginError
@_exported public import enum Hostnames.Scheme
@_exported public import struct Hostnames.URLLocation
@_exported public import enum Hostnames.URLLocationError
@_exported public import struct NTLM.ChannelBindings
@_exported public import struct NTLM.FileTime
@_exported public import struct Negotiate.SystemMessageNeed
@_exported public import protocol Negotiate.SystemMessageSource
@_exported public import struct OAuth.AccessToken
@_exported public import struct OAuth.ArcGISPortal
@_exported public import struct OAuth.AuthorizationRequest
@_exported public import struct OAuth.DeviceAuthorization
@_exported public import struct OAuth.OAuthClient
@_exported public import struct OAuth.ServiceURL
@_exported public import enum OAuth.ServiceURLError
@_exported public import struct OAuth.TokenGrant
@_exported public import class OAuth.TokenProver
@_exported public import struct OAuth.TokenRequest
@_exported public import struct OAuth.TokenResponse
@_exported public import struct SPKIPins.Pin
@_exported public import struct SPKIPins.PinPolicy
@_exported public import enum SPKIPins.PinPolicyError
@_exported public import struct SPKIPins.PinReport
@_exported public import struct SPKIPins.PinSet
@_exported public import enum SPKIPins.PinVerdict
@_exported public import struct SPKIPins.PositionedPin
@_exported public import struct SPKIPins.ValidatedChain
@_exported public import struct TokenProofs.ProofOfPossession

#if canImport(Security)
    @_exported public import class CredentialStores.KeychainStore
#endif
