# last_error FILE…: the line that says why a program failed. That is the last one with a word for it, because Squid ends with statistics;
# where no line has one, the last line. Prints nothing where the files are empty or missing. Apache, nginx and HAProxy end with lines that give
# no reason.
last_error() {
    local lines none='still could not bind|unable to open logs|no listening sockets|error(s|\(s\)) found in configuration'
    local words='fatal|error|emerg|alert|crit|cannot|could not|unable|fail|invalid|unknown|refused|denied|in use|no such'
    lines=$(cat -- "$@" 2>/dev/null | tail -n 200 | grep -viE "^[[:space:]]*\$|$none") || true
    [ -n "$lines" ] || return 0
    grep -iE "$words" <<<"$lines" | tail -n 1 || tail -n 1 <<<"$lines"
}
