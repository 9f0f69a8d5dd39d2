#ifndef SALLYPORT_GSSAPI_H
#define SALLYPORT_GSSAPI_H

#include <stddef.h>
#include <stdint.h>

// The part of GSS-API (RFC 2744) that Kerberos in HTTP needs, as a table of functions that is filled while the program runs. No
// header and no library of Kerberos is needed to build this package.

// RFC 2744, 3: the layout is that of the platform's C compiler. Apple's headers for Intel processors align at two bytes.
#if defined(__APPLE__) && (defined(__i386__) || defined(__x86_64__))
#pragma pack(push, 2)
#endif

/// Bytes with their length (RFC 2744, 3.2).
struct sallyport_gss_buffer {
    size_t length;
    void *value;
};

/// The content of a DER object identifier, without tag and length (RFC 2744, 3.3).
struct sallyport_gss_oid {
    uint32_t length;
    void *elements;
};

/// A list of object identifiers (RFC 2744, 3.4).
struct sallyport_gss_oid_set {
    size_t count;
    struct sallyport_gss_oid *elements;
};

/// What ties a context to a channel (RFC 2744, 3.11). Address type 0: no address.
struct sallyport_gss_channel_bindings {
    uint32_t initiator_address_type;
    struct sallyport_gss_buffer initiator_address;
    uint32_t acceptor_address_type;
    struct sallyport_gss_buffer acceptor_address;
    struct sallyport_gss_buffer application_data;
};

/// A setting of a credential store, an extension of MIT Kerberos.
struct sallyport_gss_store_entry {
    const char *key;
    const char *value;
};

/// The settings of a credential store.
struct sallyport_gss_store {
    uint32_t count;
    struct sallyport_gss_store_entry *elements;
};

#if defined(__APPLE__) && (defined(__i386__) || defined(__x86_64__))
#pragma pack(pop)
#endif

typedef struct sallyport_gss_name_data *sallyport_gss_name;
typedef struct sallyport_gss_credential_data *sallyport_gss_credential;
typedef struct sallyport_gss_context_data *sallyport_gss_context;

/// The functions of GSS-API. Each returns the major status; the first argument receives the minor status.
struct sallyport_gssapi {
    uint32_t (*import_name)(uint32_t *, struct sallyport_gss_buffer *, struct sallyport_gss_oid *, sallyport_gss_name *);
    uint32_t (*display_name)(
        uint32_t *, sallyport_gss_name, struct sallyport_gss_buffer *, struct sallyport_gss_oid **);
    uint32_t (*release_name)(uint32_t *, sallyport_gss_name *);
    uint32_t (*acquire_credential)(
        uint32_t *, sallyport_gss_name, uint32_t lifetime, struct sallyport_gss_oid_set *, int usage,
        sallyport_gss_credential *, struct sallyport_gss_oid_set **, uint32_t *);
    uint32_t (*inquire_credential)(
        uint32_t *, sallyport_gss_credential, sallyport_gss_name *, uint32_t *lifetime, int *usage,
        struct sallyport_gss_oid_set **);
    uint32_t (*release_credential)(uint32_t *, sallyport_gss_credential *);
    uint32_t (*init_context)(
        uint32_t *, sallyport_gss_credential, sallyport_gss_context *, sallyport_gss_name, struct sallyport_gss_oid *,
        uint32_t flags, uint32_t lifetime, struct sallyport_gss_channel_bindings *, struct sallyport_gss_buffer *input,
        struct sallyport_gss_oid **, struct sallyport_gss_buffer *output, uint32_t *flags_done, uint32_t *lifetime_done);
    uint32_t (*accept_context)(
        uint32_t *, sallyport_gss_context *, sallyport_gss_credential, struct sallyport_gss_buffer *input,
        struct sallyport_gss_channel_bindings *, sallyport_gss_name *source, struct sallyport_gss_oid **,
        struct sallyport_gss_buffer *output, uint32_t *flags_done, uint32_t *lifetime_done,
        sallyport_gss_credential *delegated);
    uint32_t (*delete_context)(uint32_t *, sallyport_gss_context *, struct sallyport_gss_buffer *);
    uint32_t (*get_mic)(
        uint32_t *, sallyport_gss_context, uint32_t quality, struct sallyport_gss_buffer *message,
        struct sallyport_gss_buffer *code);
    uint32_t (*verify_mic)(
        uint32_t *, sallyport_gss_context, struct sallyport_gss_buffer *message, struct sallyport_gss_buffer *code,
        uint32_t *quality);
    uint32_t (*display_status)(
        uint32_t *, uint32_t status, int kind, struct sallyport_gss_oid *, uint32_t *more, struct sallyport_gss_buffer *);
    uint32_t (*release_buffer)(uint32_t *, struct sallyport_gss_buffer *);

    // Extensions; NULL where the library has none.
    uint32_t (*acquire_with_password)(
        uint32_t *, sallyport_gss_name, struct sallyport_gss_buffer *password, uint32_t lifetime,
        struct sallyport_gss_oid_set *, int usage, sallyport_gss_credential *, struct sallyport_gss_oid_set **, uint32_t *);
    uint32_t (*acquire_from)(
        uint32_t *, sallyport_gss_name, uint32_t lifetime, struct sallyport_gss_oid_set *, int usage,
        const struct sallyport_gss_store *, sallyport_gss_credential *, struct sallyport_gss_oid_set **, uint32_t *);

    // Functions of libkrb5, which GSS-API has no words for; all of them or none. Each returns 0 or an error's number.
    int32_t (*make_krb5)(void **context);
    void (*free_krb5)(void *context);
    int32_t (*host_realms)(void *context, const char *host, char ***realms);
    int32_t (*free_realms)(void *context, char *const *realms);
    int32_t (*open_cache)(void *context, const char *name, void **cache);
    int32_t (*destroy_cache)(void *context, void *cache);
};

/// What loading a library led to.
enum sallyport_gssapi_outcome {
    sallyport_gssapi_loaded,
    /// The library cannot be opened.
    sallyport_gssapi_no_library,
    /// The library lacks a function that is not an extension.
    sallyport_gssapi_no_function,
};

/// Opens the library at `path`, which is never closed, and fills the table. `reason` receives the loader's text or the name of the
/// missing function; copy it before the next call.
enum sallyport_gssapi_outcome sallyport_gssapi_load(
    const char *path, struct sallyport_gssapi *table, const char **reason);

/// Kerberos 5, 1.2.840.113554.1.2.2.
struct sallyport_gss_oid *sallyport_gss_kerberos(void);
/// A list with Kerberos 5 alone.
struct sallyport_gss_oid_set *sallyport_gss_only_kerberos(void);
/// The kind of names like `user@REALM` and `HTTP/host@REALM` (RFC 1964, 2.1.1).
struct sallyport_gss_oid *sallyport_gss_principal_kind(void);
/// The kind of names like `HTTP@host` (RFC 2743, 4.1).
struct sallyport_gss_oid *sallyport_gss_service_kind(void);

#endif
