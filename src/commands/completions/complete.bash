# Completions of transcript-doctor for bash. The program says what may follow.

_transcript_doctor() {
    local line="${COMP_LINE:0:COMP_POINT}" typed before path reply file
    local -a words
    # Not COMP_WORDS: bash also splits at @, = and :, which are parts of names and options.
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    typed="${words[${#words[@]}-1]}"
    # bash replaces only what follows the last of these characters.
    before="${typed%"${typed##*[@=:]}"}"
    COMPREPLY=()
    while IFS=$'\t' read -r reply _; do
        case $reply in
            :files)
                path="$typed"
                [[ $typed == --*=* ]] && path="${typed#*=}"
                compopt -o filenames 2> /dev/null
                while IFS= read -r file; do
                    file="${typed%"$path"}$file"
                    COMPREPLY+=("${file#"$before"}")
                done < <(compgen -f -- "$path")
                ;;
            *=)
                compopt -o nospace 2> /dev/null
                COMPREPLY+=("${reply#"$before"}")
                ;;
            *)
                COMPREPLY+=("${reply#"$before"}")
                ;;
        esac
    done < <("${words[0]}" completions bash -- "${words[@]:1}" 2> /dev/null)
}

complete -F _transcript_doctor transcript-doctor
