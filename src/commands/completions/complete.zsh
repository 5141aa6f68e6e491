#compdef transcript-doctor
# Completions of transcript-doctor for zsh. The program says what may follow.

_transcript-doctor() {
    local line value about
    local -a lines values open
    integer files=0
    lines=("${(@f)$("${(Q)words[1]}" completions zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2> /dev/null)}")
    for line in $lines; do
        value=${line%%$'\t'*}
        about=${line#*$'\t'}
        # _describe splits at the first colon.
        case $value in
            :files) files=1 ;;
            *=) open+=("${value//:/\\:}:$about") ;;
            *) values+=("${value//:/\\:}:$about") ;;
        esac
    done
    (( ${#values} )) && _describe -t values 'value' values
    (( ${#open} )) && _describe -t values 'value' open -S ''
    (( files )) && _files
}

# Loaded from a folder of fpath, this file is the function.
if [[ ${funcstack[1]} == _transcript-doctor ]]; then
    _transcript-doctor "$@"
else
    compdef _transcript-doctor transcript-doctor
fi
