# What the scripts that start one server share. Source it, then:
#
#   begin NAME              a temporary folder in $folder, removed at the end
#   require PACKAGE PATH    exit 77, with one line that names the Debian package, where PATH is missing
#   beside COMMAND…         starts a program that ends with the script; its number is the last one of $helpers
#   serve PORT COMMAND…     starts the server, prints "ready" once it answers, waits for its end
#
# and what waiting.bash has.
#
# A script may define `obey WORD…`: it is called for each line of standard input, and prints one line in answer.
#
# A script ends on SIGTERM, and when its standard input closes, so that a crashed test leaves nothing behind. The server
# answers /${folder##*/} on PORT with status 200 and without credentials: no other server that holds the port has it.
#
# The server writes to $folder/error.log or $folder/output. A script that fails before it serves shows the line of them that says why, as the
# last line of standard error.

# A thread that blocks signals hands that on to its children, and then nothing ends on SIGTERM.
[ -n "${SIGNALS_ARE_DEFAULT:-}" ] || SIGNALS_ARE_DEFAULT=1 exec env --default-signal "$0" "$@"

source "$(dirname "${BASH_SOURCE[0]}")/last-error.bash"
source "$(dirname "${BASH_SOURCE[0]}")/waiting.bash"

server=
input=
serves=
helpers=()

begin() {
    name=$1
    folder=$(mktemp -d "${TMPDIR:-/tmp}/$name.XXXXXX")
    trap finish EXIT
    trap 'exit 0' TERM INT HUP
}

finish() {
    local status=$? each
    # No signal may interrupt the cleaning up.
    trap '' TERM INT HUP
    [ -z "$input" ] || kill "$input" 2>/dev/null || true
    for each in "${helpers[@]}" ${server:+"$server"}; do
        # A program that is stopped does not end on SIGTERM alone.
        { kill "$each" && kill -CONT "$each"; } 2>/dev/null || true
    done
    for _ in {1..100}; do
        [ -n "$server" ] && kill -0 "$server" 2>/dev/null || break
        sleep 0.05
    done
    [ -z "$server" ] || kill -KILL "$server" 2>/dev/null || true
    # 77: the script has named what is missing.
    [ -n "$serves" ] || ((status == 0 || status == 77)) || last_error "$folder/error.log" "$folder/output" >&2
    rm -rf "$folder"
}

beside() {
    setpriv --pdeathsig TERM "$@" </dev/null >>"$folder/output" 2>&1 &
    helpers+=("$!")
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
    # Another server that holds the port may be silent.
    read -r -t 2 status <&4 || return 1
    exec 4>&-
    [[ $status == *" 200 "* ]]
} 2>/dev/null

answers_or_ended() {
    local each
    for each in "$server" "${helpers[@]}"; do kill -0 "$each" 2>/dev/null || exit 1; done
    answers "$1"
}

serve() {
    local port=$1
    shift
    # setpriv: the server ends with this script, also when the script is killed.
    setpriv --pdeathsig TERM "$@" >>"$folder/output" 2>&1 </dev/null &
    server=$!
    eventually answers_or_ended "$port" || { echo "$name: no answer on port $port within $patience s" >&2; exit 1; }
    serves=1
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
