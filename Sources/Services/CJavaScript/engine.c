#include "CJavaScript.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

// The types of JavaScriptCore's interface, of which only addresses are used.
typedef const struct script_context *context;
typedef const struct script_value *value;
typedef struct script_object *object;
typedef struct script_string *string;
typedef value (*callback)(context, object function, object self, size_t count, const value arguments[], value *exception);

static struct {
    context (*make_context)(void *class);
    object (*global)(context);
    value (*evaluate)(context, string script, object self, string url, int line, value *exception);
    value (*property)(context, object, string name, value *exception);
    void (*set_property)(context, object, string name, value, unsigned attributes, value *exception);
    object (*make_function)(context, string name, callback);
    value (*call)(context, object function, object self, size_t count, const value arguments[], value *exception);
    bool (*is_object)(context, value);
    bool (*is_string)(context, value);
    bool (*is_function)(context, object);
    object (*to_object)(context, value, value *exception);
    string (*to_string)(context, value, value *exception);
    value (*make_string)(context, string);
    value (*make_null)(context);
    string (*string_make)(const char *text);
    size_t (*string_read)(string, char *text, size_t room);
    void (*string_release)(string);
} engine;

/// A function that scripts may call with one text. It writes its answer, and returns 0 for null.
static const struct {
    const char *name;
    int (*call)(const char *argument, char *answer, size_t room);
} helpers[] = {
    {"dnsResolve", sallyport_script_resolve},
    {"dnsResolveEx", sallyport_script_resolve_all},
    {"myIpAddress", sallyport_script_own_address},
    {"myIpAddressEx", sallyport_script_own_addresses},
};
static const size_t helper_count = sizeof helpers / sizeof helpers[0];

/// Copies the address of a function; POSIX allows that for `dlsym`, and C has no other form without a warning.
static bool find(void *library, const char *name, void *place) {
    void *address = dlsym(library, name);
    memcpy(place, &address, sizeof address);
    return address != NULL;
}

static void tell(char *text, size_t room, const char *words) {
    if (room == 0) return;
    size_t length = strlen(words);
    if (length >= room) length = room - 1;
    memcpy(text, words, length);
    text[length] = 0;
}

static bool load(const char *path, char *text, size_t room) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *reason = dlerror();
        tell(text, room, reason == NULL ? path : reason);
        return false;
    }
    const struct {
        const char *name;
        void *place;
    } needed[] = {
        {"JSGlobalContextCreate", &engine.make_context},
        {"JSContextGetGlobalObject", &engine.global},
        {"JSEvaluateScript", &engine.evaluate},
        {"JSObjectGetProperty", &engine.property},
        {"JSObjectSetProperty", &engine.set_property},
        {"JSObjectMakeFunctionWithCallback", &engine.make_function},
        {"JSObjectCallAsFunction", &engine.call},
        {"JSValueIsObject", &engine.is_object},
        {"JSValueIsString", &engine.is_string},
        {"JSObjectIsFunction", &engine.is_function},
        {"JSValueToObject", &engine.to_object},
        {"JSValueToStringCopy", &engine.to_string},
        {"JSValueMakeString", &engine.make_string},
        {"JSValueMakeNull", &engine.make_null},
        {"JSStringCreateWithUTF8CString", &engine.string_make},
        {"JSStringGetUTF8CString", &engine.string_read},
        {"JSStringRelease", &engine.string_release},
    };
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (find(library, needed[i].name, needed[i].place)) continue;
        tell(text, room, path);
        return false;
    }
    return true;
}

/// Writes a value as text. A symbol and an object whose conversion fails have none.
static bool read_text(context context, value value, char *text, size_t room) {
    string string = engine.to_string(context, value, NULL);
    tell(text, room, "");
    if (string == NULL) return false;
    engine.string_read(string, text, room);
    engine.string_release(string);
    return true;
}

/// A function of the script's helpers.
static value call_helper(
    context context, object function, object self, size_t count, const value arguments[], value *exception) {
    (void)self;
    char name[64], argument[1024] = "", answer[4096];
    string key = engine.string_make("name");
    value named = engine.property(context, function, key, NULL);
    engine.string_release(key);
    if (!read_text(context, named, name, sizeof name)) return engine.make_null(context);
    if (count > 0) {
        string text = engine.to_string(context, arguments[0], exception);
        if (text == NULL) return engine.make_null(context);
        engine.string_read(text, argument, sizeof argument);
        engine.string_release(text);
    }
    for (size_t i = 0; i < helper_count; i++) {
        if (strcmp(helpers[i].name, name) != 0) continue;
        if (!helpers[i].call(argument, answer, sizeof answer)) break;
        string text = engine.string_make(answer);
        value result = engine.make_string(context, text);
        engine.string_release(text);
        return result;
    }
    return engine.make_null(context);
}

/// Runs a text; returns whether it has come to its end.
static bool evaluate(context context, const char *text, const char *name, char *error, size_t room) {
    string script = engine.string_make(text), url = engine.string_make(name);
    value exception = NULL;
    engine.evaluate(context, script, NULL, url, 1, &exception);
    engine.string_release(script);
    engine.string_release(url);
    if (exception == NULL) return true;
    read_text(context, exception, error, room);
    return false;
}

static object find_function(context context, const char *name) {
    string key = engine.string_make(name);
    value found = engine.property(context, engine.global(context), key, NULL);
    engine.string_release(key);
    if (found == NULL || !engine.is_object(context, found)) return NULL;
    object function = engine.to_object(context, found, NULL);
    return function != NULL && engine.is_function(context, function) ? function : NULL;
}

enum sallyport_script_outcome sallyport_script_run(
    const char *library, const char *prelude, const char *script, const char *url, const char *host, char *text,
    size_t room) {
    tell(text, room, "");
    if (!load(library, text, room)) return sallyport_script_no_library;
    context context = engine.make_context(NULL);
    for (size_t i = 0; i < helper_count; i++) {
        string name = engine.string_make(helpers[i].name);
        object function = engine.make_function(context, name, call_helper);
        engine.set_property(context, engine.global(context), name, (value)function, 0, NULL);
        engine.string_release(name);
    }
    if (!evaluate(context, prelude, "helpers", text, room)) return sallyport_script_failed;
    if (!evaluate(context, script, "PAC file", text, room)) return sallyport_script_unreadable;
    object function = find_function(context, "FindProxyForURL");
    // Microsoft's name, which takes part in scripts that know IPv6.
    if (function == NULL) function = find_function(context, "FindProxyForURLEx");
    if (function == NULL) return sallyport_script_no_function;
    string strings[] = {engine.string_make(url), engine.string_make(host)};
    const value arguments[] = {engine.make_string(context, strings[0]), engine.make_string(context, strings[1])};
    value exception = NULL;
    value answer = engine.call(context, function, NULL, 2, arguments, &exception);
    if (exception != NULL || answer == NULL) {
        if (exception != NULL) read_text(context, exception, text, room);
        return sallyport_script_failed;
    }
    if (!engine.is_string(context, answer)) {
        // As browsers do: what is converted to text is rarely meant.
        tell(text, room, "the function has not returned a text");
        return sallyport_script_failed;
    }
    return read_text(context, answer, text, room) ? sallyport_script_answered : sallyport_script_failed;
}
