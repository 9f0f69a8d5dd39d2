/* Measures log-ons with MIT Kerberos in C: the same calls of GSS-API as ours, one line for every round. */
#include <gssapi/gssapi.h>
#include <gssapi/gssapi_krb5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Log-ons between two readings of the clock. */
enum { COUNT = 64 };

static const OM_uint32 wanted = GSS_C_MUTUAL_FLAG | GSS_C_REPLAY_FLAG | GSS_C_SEQUENCE_FLAG | GSS_C_INTEG_FLAG;
static gss_cred_id_t client_credential, server_credential;
static gss_name_t service;

static void check(const char *what, OM_uint32 major)
{
    if (!GSS_ERROR(major)) return;
    fprintf(stderr, "peer: %s: %x\n", what, major);
    exit(1);
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static gss_buffer_desc initiate(gss_ctx_id_t *context, gss_buffer_t input)
{
    OM_uint32 minor, flags;
    gss_buffer_desc output = GSS_C_EMPTY_BUFFER;
    check("initiate", gss_init_sec_context(
        &minor, client_credential, context, service, (gss_OID)gss_mech_krb5, wanted, 0, GSS_C_NO_CHANNEL_BINDINGS,
        input, NULL, &output, &flags, NULL));
    return output;
}

static void first_token(void)
{
    OM_uint32 minor;
    gss_ctx_id_t context = GSS_C_NO_CONTEXT;
    gss_buffer_desc token = initiate(&context, GSS_C_NO_BUFFER);
    gss_release_buffer(&minor, &token);
    gss_delete_sec_context(&minor, &context, NULL);
}

static void both_sides(void)
{
    OM_uint32 minor, flags;
    gss_ctx_id_t client = GSS_C_NO_CONTEXT, server = GSS_C_NO_CONTEXT;
    gss_buffer_desc token = initiate(&client, GSS_C_NO_BUFFER), answer = GSS_C_EMPTY_BUFFER, name;
    gss_name_t source;
    check("accept", gss_accept_sec_context(
        &minor, &server, server_credential, &token, GSS_C_NO_CHANNEL_BINDINGS, &source, NULL, &answer, &flags, NULL,
        NULL));
    check("display", gss_display_name(&minor, source, &name, NULL));
    gss_buffer_desc end = initiate(&client, &answer);
    gss_release_buffer(&minor, &end);
    gss_release_buffer(&minor, &name);
    gss_release_buffer(&minor, &answer);
    gss_release_buffer(&minor, &token);
    gss_release_name(&minor, &source);
    gss_delete_sec_context(&minor, &client, NULL);
    gss_delete_sec_context(&minor, &server, NULL);
}

static void measure(const char *operation, int rounds, void (*body)(void))
{
    /* The first round warms up. */
    for (int round = 0; round <= rounds; round++) {
        double start = processor_time();
        for (int i = 0; i < COUNT; i++) body();
        double spent = (processor_time() - start) / COUNT;
        if (round > 0) printf("time\tMIT Kerberos in C\t%s\t%f\n", operation, spent);
    }
}

int main(int count, char **arguments)
{
    OM_uint32 minor;
    int rounds = count > 1 ? atoi(arguments[1]) : 5;
    gss_OID_set_desc mechanisms = {1, (gss_OID)gss_mech_krb5};
    check("the client's credential", gss_acquire_cred(
        &minor, GSS_C_NO_NAME, GSS_C_INDEFINITE, &mechanisms, GSS_C_INITIATE, &client_credential, NULL, NULL));
    check("the client's name", gss_inquire_cred(&minor, client_credential, NULL, NULL, NULL, NULL));
    check("the server's credential", gss_acquire_cred(
        &minor, GSS_C_NO_NAME, GSS_C_INDEFINITE, &mechanisms, GSS_C_ACCEPT, &server_credential, NULL, NULL));
    gss_buffer_desc text = {strlen("HTTP/localhost@ACME.TEST"), "HTTP/localhost@ACME.TEST"};
    check("the service", gss_import_name(&minor, &text, (gss_OID)GSS_KRB5_NT_PRINCIPAL_NAME, &service));
    measure("Kerberos: first token", rounds, first_token);
    measure("Kerberos: both sides", rounds, both_sides);
    return 0;
}
