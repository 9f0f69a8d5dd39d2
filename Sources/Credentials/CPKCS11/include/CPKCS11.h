#ifndef SALLYPORT_PKCS11_H
#define SALLYPORT_PKCS11_H

// The part of PKCS #11 (OASIS, versions 2.40 and 3.0) that finds tokens and certificates and signs. Names of functions, types and
// constants in comments are those of the specification.
//
// Each function returns a return value of the module (CK_RV): 0 is CKR_OK. If the module lacks a function, that is
// CKR_FUNCTION_NOT_SUPPORTED. Functions check no counts that the module returns: compare them with the capacity.

/// CK_ULONG: numbers, lengths, handles, flags and return values.
typedef unsigned long p11_ulong;

/// CK_UNAVAILABLE_INFORMATION: the length of an attribute that cannot be read.
static const p11_ulong p11_unavailable = ~0UL;

/// CK_FUNCTION_LIST: the functions of a module.
typedef struct p11_functions p11_functions;

/// CK_TOKEN_INFO: texts are UTF-8 that spaces fill up.
typedef struct {
    unsigned char label[32];
    unsigned char manufacturer[32];
    unsigned char model[16];
    unsigned char serial[16];
    p11_ulong flags;
    p11_ulong session_limits[4];
    p11_ulong longest_pin;
    p11_ulong shortest_pin;
    p11_ulong memory[4];
    unsigned char hardware_version[2];
    unsigned char firmware_version[2];
    unsigned char time[16];
} p11_token_info;

/// CK_RSA_PKCS_PSS_PARAMS: the digest, the mask of the same digest, and the bytes of the salt.
typedef struct {
    p11_ulong digest;
    p11_ulong mask;
    p11_ulong salt;
} p11_pss_parameters;

/// C_GetFunctionList, whose address is `symbol`. A module that returns CKR_OK and no list gives CKR_GENERAL_ERROR.
p11_ulong p11_load(void *symbol, const p11_functions **functions);
/// The version of the interface: the major number times 256, and the minor number.
unsigned p11_version(const p11_functions *functions);

/// C_Initialize: the module may use the locks of the system and start threads.
p11_ulong p11_initialize(const p11_functions *functions);
/// C_Finalize.
p11_ulong p11_finalize(const p11_functions *functions);
/// C_GetSlotList: the slots with a token. `count` is the capacity, then the number of slots.
p11_ulong p11_slots(const p11_functions *functions, p11_ulong *slots, p11_ulong *count);
/// C_GetTokenInfo.
p11_ulong p11_token(const p11_functions *functions, p11_ulong slot, p11_token_info *info);
/// C_GetMechanismList. `count` is the capacity, then the number of mechanisms.
p11_ulong p11_mechanisms(const p11_functions *functions, p11_ulong slot, p11_ulong *mechanisms, p11_ulong *count);
/// C_OpenSession, for reading only.
p11_ulong p11_open_session(const p11_functions *functions, p11_ulong slot, p11_ulong *session);
/// C_CloseSession.
p11_ulong p11_close_session(const p11_functions *functions, p11_ulong session);
/// C_Login as the user.
p11_ulong p11_login(const p11_functions *functions, p11_ulong session, const unsigned char *pin, p11_ulong length);
/// C_Login for one signature that has begun, which a key with CKA_ALWAYS_AUTHENTICATE asks for.
p11_ulong p11_login_again(
    const p11_functions *functions, p11_ulong session, const unsigned char *pin, p11_ulong length);
/// C_FindObjectsInit, C_FindObjects and C_FindObjectsFinal: the objects of the token with a class. `count` is the capacity, then the
/// number of objects; if it equals the capacity, there may be more. The module never gets more than the rest of the capacity.
p11_ulong p11_find(
    const p11_functions *functions, p11_ulong session, p11_ulong class, p11_ulong *objects, p11_ulong *count);
/// C_GetAttributeValue of one attribute. `length` is the capacity, then the number of bytes or `p11_unavailable`.
p11_ulong p11_attribute(
    const p11_functions *functions, p11_ulong session, p11_ulong object, p11_ulong type, unsigned char *value,
    p11_ulong *length);
/// C_SignInit. `parameters` is NULL for mechanisms without.
p11_ulong p11_begin_signing(
    const p11_functions *functions, p11_ulong session, p11_ulong key, p11_ulong mechanism,
    const p11_pss_parameters *parameters);
/// C_Sign. `length` is the capacity, then the number of bytes.
p11_ulong p11_sign(
    const p11_functions *functions, p11_ulong session, const unsigned char *data, p11_ulong data_length,
    unsigned char *signature, p11_ulong *length);

#endif
