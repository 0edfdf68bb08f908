# bash completion for kubectl-kruise
_kubectl_kruise() {
    local answer line current="${COMP_WORDS[COMP_CWORD]}"
    answer="$(kubectl-kruise __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null)" || return
    COMPREPLY=()
    while IFS= read -r line; do
        case "$line" in
            :0) compopt -o default 2>/dev/null ;;
            :*) ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done <<< "$answer"
}
complete -F _kubectl_kruise kubectl-kruise
