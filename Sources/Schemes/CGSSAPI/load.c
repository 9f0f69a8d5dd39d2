#include "CGSSAPI.h"

#include <dlfcn.h>
#include <string.h>

/// Copies the address of a function; POSIX allows that for `dlsym`, and C has no other form without a warning. Returns 0 where
/// the library has no such function.
static int find(void *library, const char *name, void *place) {
    void *address = dlsym(library, name);
    memcpy(place, &address, sizeof address);
    return address != NULL;
}

enum sallyport_gssapi_outcome sallyport_gssapi_load(
    const char *path, struct sallyport_gssapi *table, const char **reason) {
    memset(table, 0, sizeof *table);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        *reason = dlerror();
        return sallyport_gssapi_no_library;
    }
    const struct {
        const char *name;
        void *place;
    } needed[] = {
        {"gss_import_name", &table->import_name},
        {"gss_display_name", &table->display_name},
        {"gss_release_name", &table->release_name},
        {"gss_acquire_cred", &table->acquire_credential},
        {"gss_inquire_cred", &table->inquire_credential},
        {"gss_release_cred", &table->release_credential},
        {"gss_init_sec_context", &table->init_context},
        {"gss_accept_sec_context", &table->accept_context},
        {"gss_delete_sec_context", &table->delete_context},
        {"gss_get_mic", &table->get_mic},
        {"gss_verify_mic", &table->verify_mic},
        {"gss_display_status", &table->display_status},
        {"gss_release_buffer", &table->release_buffer},
    };
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!find(library, needed[i].name, needed[i].place)) {
            *reason = needed[i].name;
            return sallyport_gssapi_no_function;
        }
    }
    find(library, "gss_acquire_cred_with_password", &table->acquire_with_password);
    find(library, "gss_acquire_cred_from", &table->acquire_from);
    // A search in the library's handle also finds the functions of libkrb5, on which it depends.
    int all = find(library, "krb5_init_context", &table->make_krb5);
    all &= find(library, "krb5_free_context", &table->free_krb5);
    all &= find(library, "krb5_get_host_realm", &table->host_realms);
    all &= find(library, "krb5_free_host_realm", &table->free_realms);
    all &= find(library, "krb5_cc_resolve", &table->open_cache);
    all &= find(library, "krb5_cc_destroy", &table->destroy_cache);
    if (!all) {
        table->make_krb5 = NULL;
        table->free_krb5 = NULL;
        table->host_realms = NULL;
        table->free_realms = NULL;
        table->open_cache = NULL;
        table->destroy_cache = NULL;
    }
    return sallyport_gssapi_loaded;
}

struct sallyport_gss_oid *sallyport_gss_kerberos(void) {
    static struct sallyport_gss_oid oid = {9, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"};
    return &oid;
}

struct sallyport_gss_oid_set *sallyport_gss_only_kerberos(void) {
    static struct sallyport_gss_oid oid = {9, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"};
    static struct sallyport_gss_oid_set set = {1, &oid};
    return &set;
}

struct sallyport_gss_oid *sallyport_gss_principal_kind(void) {
    static struct sallyport_gss_oid oid = {10, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x02\x01"};
    return &oid;
}

struct sallyport_gss_oid *sallyport_gss_service_kind(void) {
    static struct sallyport_gss_oid oid = {10, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04"};
    return &oid;
}
