# Files of accounts that servers read, and a change of a password while a server runs. Source it after serving.bash, then:
#
#   know REALM USER:PASSWORD[,…]   writes $folder/basic-users (htpasswd, MD5), $folder/digest-users (htdigest, MD5),
#                                  $folder/sha256-users (the same with SHA-256) and $folder/plain-users (USER:PASSWORD)
#   change USER PASSWORD           gives a user another password, and replaces the files at once
#
# Needs openssl.

know() {
    realm=$1
    declare -gA passwords=()
    local each
    for each in ${2//,/ }; do passwords[${each%%:*}]=${each#*:}; done
    write_accounts
}

change() {
    passwords[$1]=$2
    write_accounts
}

write_accounts() {
    local user
    for user in "${!passwords[@]}"; do
        printf '%s:%s\n' "$user" "$(openssl passwd -apr1 -stdin <<<"${passwords[$user]}")" >&5
        printf '%s:%s:%s\n' "$user" "$realm" \
            "$(printf '%s' "$user:$realm:${passwords[$user]}" | md5sum | cut -c1-32)" >&6
        printf '%s:%s\n' "$user" "${passwords[$user]}" >&7
        printf '%s:%s:%s\n' "$user" "$realm" \
            "$(printf '%s' "$user:$realm:${passwords[$user]}" | sha256sum | cut -c1-64)" >&8
    done 5>"$folder/basic-users.new" 6>"$folder/digest-users.new" 7>"$folder/plain-users.new" 8>"$folder/sha256-users.new"
    # Squid's helpers read a file again if its time has changed, in whole seconds.
    stamp=$((${stamp:-EPOCHSECONDS} + 2))
    for each in basic digest plain sha256; do
        chmod 644 "$folder/$each-users.new"
        touch --date="@$stamp" "$folder/$each-users.new"
        mv "$folder/$each-users.new" "$folder/$each-users"
    done
}

# The lines of FILE that match the extended regular expression PATTERN; 0 without the file.
count_lines() { grep -cE "$2" "$1" 2>/dev/null || true; }
