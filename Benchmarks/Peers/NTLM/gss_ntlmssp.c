/* Measures gss-ntlmssp as initiator and acceptor with the log-in of the environment; one line for every round. */
#include <gssapi/gssapi.h>
#include <gssapi/gssapi_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Handshakes between two readings of the clock. */
enum { COUNT = 64 };

static gss_OID_desc ntlmssp = {10, "\x2b\x06\x01\x04\x01\x82\x37\x02\x02\x0a"};
static gss_OID_set_desc mechanisms = {1, &ntlmssp};

static void check(const char *what, OM_uint32 major, const OM_uint32 *minor)
{
    if (!GSS_ERROR(major)) return;
    fprintf(stderr, "gss-ntlmssp: %s: %x %u\n", what, major, *minor);
    exit(1);
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static const char *input(const char *name)
{
    const char *value = getenv(name);
    if (value) return value;
    fprintf(stderr, "gss-ntlmssp: %s is not set\n", name);
    exit(1);
}

static gss_name_t name(const char *text, gss_OID type)
{
    OM_uint32 minor;
    gss_name_t result;
    gss_buffer_desc buffer = {strlen(text), (void *)text};
    check("name", gss_import_name(&minor, &buffer, type, &result), &minor);
    return result;
}

static gss_buffer_desc unhexed(const char *hex)
{
    gss_buffer_desc result = {strlen(hex) / 2, malloc(strlen(hex) / 2 + 1)};
    for (size_t i = 0; i < result.length; i++) {
        unsigned byte;
        sscanf(hex + 2 * i, "%2x", &byte);
        ((unsigned char *)result.value)[i] = (unsigned char)byte;
    }
    return result;
}

static struct gss_channel_bindings_struct bindings;
static gss_cred_id_t client_credential, server_credential;
static gss_name_t target;

/* One step of the client: the same flags as ours asks for. */
static gss_buffer_desc initiate(gss_ctx_id_t *context, gss_buffer_t token)
{
    OM_uint32 minor;
    gss_buffer_desc output = GSS_C_EMPTY_BUFFER;
    check("initiator", gss_init_sec_context(
        &minor, client_credential, context, target, &ntlmssp, GSS_C_INTEG_FLAG, 0, &bindings, token, NULL, &output,
        NULL, NULL), &minor);
    return output;
}

static gss_buffer_desc accept_step(gss_ctx_id_t *context, gss_buffer_t token, OM_uint32 *major)
{
    OM_uint32 minor;
    gss_buffer_desc output = GSS_C_EMPTY_BUFFER;
    *major = gss_accept_sec_context(
        &minor, context, server_credential, token, GSS_C_NO_CHANNEL_BINDINGS, NULL, NULL, &output, NULL, NULL, NULL);
    check("acceptor", *major, &minor);
    return output;
}

int main(int count, char **arguments)
{
    int rounds = count > 1 ? atoi(arguments[1]) : 7;
    OM_uint32 minor, major;
    char text[600], service[300];
    snprintf(text, sizeof text, "%s\\%s", input("NTLM_DOMAIN"), input("NTLM_USER"));
    /* HTTP/host is http@host here. */
    snprintf(service, sizeof service, "%s", input("NTLM_SERVICE"));
    char *slash = strchr(service, '/');
    if (slash) *slash = '@';
    target = name(service, GSS_C_NT_HOSTBASED_SERVICE);
    gss_buffer_desc password = {strlen(input("NTLM_PASSWORD")), (void *)input("NTLM_PASSWORD")};
    check("credential", gss_acquire_cred_with_password(
        &minor, name(text, GSS_C_NT_USER_NAME), &password, GSS_C_INDEFINITE, &mechanisms, GSS_C_INITIATE,
        &client_credential, NULL, NULL), &minor);
    check("acceptor's credential", gss_acquire_cred(
        &minor, GSS_C_NO_NAME, GSS_C_INDEFINITE, &mechanisms, GSS_C_ACCEPT, &server_credential, NULL, NULL), &minor);
    static const char prefix[] = "tls-server-end-point:";
    gss_buffer_desc hash = unhexed(input("NTLM_CERTIFICATE_HASH"));
    bindings.application_data.length = sizeof prefix - 1 + hash.length;
    bindings.application_data.value = malloc(bindings.application_data.length);
    memcpy(bindings.application_data.value, prefix, sizeof prefix - 1);
    memcpy((char *)bindings.application_data.value + sizeof prefix - 1, hash.value, hash.length);
    gss_buffer_desc challenge = unhexed(input("NTLM_CHALLENGE"));

    static gss_ctx_id_t clients[COUNT], servers[COUNT];
    static gss_buffer_desc answers[COUNT];
    for (int round = 0; round <= rounds; round++) {
        double start = processor_time();
        for (int i = 0; i < COUNT; i++) {
            gss_buffer_desc output = initiate(&clients[i], GSS_C_NO_BUFFER);
            gss_release_buffer(&minor, &output);
        }
        double started = processor_time() - start;
        start = processor_time();
        for (int i = 0; i < COUNT; i++) {
            gss_buffer_desc output = initiate(&clients[i], &challenge);
            gss_release_buffer(&minor, &output);
        }
        double authenticated = processor_time() - start;
        for (int i = 0; i < COUNT; i++) {
            gss_delete_sec_context(&minor, &clients[i], NULL);
            gss_buffer_desc negotiate = initiate(&clients[i], GSS_C_NO_BUFFER);
            gss_buffer_desc own = accept_step(&servers[i], &negotiate, &major);
            answers[i] = initiate(&clients[i], &own);
            gss_release_buffer(&minor, &negotiate);
            gss_release_buffer(&minor, &own);
        }
        start = processor_time();
        for (int i = 0; i < COUNT; i++) {
            accept_step(&servers[i], &answers[i], &major);
            if (major != GSS_S_COMPLETE) check("an accepted log-in", GSS_S_FAILURE, &minor);
        }
        double verified = processor_time() - start;
        for (int i = 0; i < COUNT; i++) {
            gss_release_buffer(&minor, &answers[i]);
            gss_delete_sec_context(&minor, &clients[i], NULL);
            gss_delete_sec_context(&minor, &servers[i], NULL);
        }
        /* The first round warms up. */
        if (round == 0) continue;
        printf("time\tgss-ntlmssp\thandshake-start\t%f\n", started / COUNT);
        printf("time\tgss-ntlmssp\tauthenticate\t%f\n", authenticated / COUNT);
        printf("time\tgss-ntlmssp\tverify\t%f\n", verified / COUNT);
    }
    return 0;
}
