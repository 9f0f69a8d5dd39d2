# What the scripts that start one server share. Source it, then:
#
#   begin NAME              a temporary folder in $folder, removed at the end
#   require PACKAGE PATH    exit 77, with one line that names the Debian package, where PATH is missing
#   serve PORT COMMAND…     starts the server, prints "ready" once it answers, waits for its end
#   eventually COMMAND…     repeats a command until it succeeds, for $patience seconds at most
#
# A script may define `obey WORD…`: it is called for each line of standard input, and prints one line in answer.
#
# A script ends on SIGTERM, and when its standard input closes, so that a crashed test leaves nothing behind. The server
# answers /${folder##*/} on PORT with status 200 and without credentials: no other server that holds the port has it.

# A thread that blocks signals hands that on to its children, and then nothing ends on SIGTERM.
[ -n "${SIGNALS_ARE_DEFAULT:-}" ] || SIGNALS_ARE_DEFAULT=1 exec env --default-signal "$0" "$@"

server=
input=
# A start takes seconds, and minutes on a machine that has much to do. Only what hangs takes so long.
patience=1200

eventually() {
    local end=$((SECONDS + patience))
    until "$@"; do
        ((SECONDS < end)) || return 1
        sleep 0.05
    done
}

begin() {
    name=$1
    folder=$(mktemp -d "${TMPDIR:-/tmp}/$name.XXXXXX")
    trap finish EXIT
    trap 'exit 0' TERM INT HUP
}

finish() {
    # No signal may interrupt the cleaning up.
    trap '' TERM INT HUP
    [ -z "$input" ] || kill "$input" 2>/dev/null || true
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    for _ in {1..100}; do
        [ -n "$server" ] && kill -0 "$server" 2>/dev/null || break
        sleep 0.05
    done
    [ -z "$server" ] || kill -KILL "$server" 2>/dev/null || true
    rm -rf "$folder"
}

require() {
    [ -e "$2" ] && return
    echo "$name: missing Debian package $1" >&2
    exit 77
}

# Lets www-data read the folder when the script runs as root, whose workers run as www-data.
share_with_workers() {
    [ "$(id -u)" = 0 ] || return 0
    chgrp -R www-data "$folder"
    chmod -R g+rX "$folder"
}

obey() { echo "$name takes no commands"; }

answers() {
    local status
    exec 4<>"/dev/tcp/127.0.0.1/$1" || return 1
    printf 'GET /%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "${folder##*/}" >&4
    read -r status <&4 || return 1
    exec 4>&-
    [[ $status == *" 200 "* ]]
} 2>/dev/null

answers_or_ended() {
    answers "$1" && return
    kill -0 "$server" 2>/dev/null && return 1
    echo "$name: the server did not start:" >&2
    tail -n 5 "$folder/error.log" >&2 2>/dev/null || true
    exit 1
}

serve() {
    local port=$1
    shift
    # setpriv: the server ends with this script, also when the script is killed.
    setpriv --pdeathsig TERM "$@" >&2 </dev/null &
    server=$!
    eventually answers_or_ended "$port" || { echo "$name: no answer on port $port within $patience s" >&2; exit 1; }
    echo ready
    # Waits for the end of standard input or of the server.
    exec 3<&0
    obey_lines <&3 &
    input=$!
    wait -n "$server" "$input" || true
}

obey_lines() {
    local words
    while read -ra words; do obey "${words[@]}"; done
}
