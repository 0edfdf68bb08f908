"""Completion scripts of the shells: each asks `kubectl-kruise __complete` and understands its answer."""

from typing import Final

FILES: Final = {
    "bash": "kubectl-kruise.bash",
    "zsh": "_kubectl-kruise",
    "fish": "kubectl-kruise.fish",
    "powershell": "kubectl-kruise.ps1",
    "kubectl": "kubectl_complete-kruise",
}
"""File of each script below `completions/`."""
SHELLS: Final = tuple(FILES)

_BASH: Final = """\
# bash completion for kubectl-kruise
_kubectl_kruise() {
    local answer line current="${COMP_WORDS[COMP_CWORD]}"
    answer="$(kubectl-kruise __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null)" || return
    COMPREPLY=()
    while IFS= read -r line; do
        case "$line" in
            :0) compopt -o default 2>/dev/null ;;
            :*) ;;
            *) COMPREPLY+=("${line%%$'\\t'*}") ;;
        esac
    done <<< "$answer"
}
complete -F _kubectl_kruise kubectl-kruise
"""

_ZSH: Final = """\
#compdef kubectl-kruise
_kubectl_kruise() {
    local line files=0
    local -a choices
    for line in "${(@f)$(kubectl-kruise __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        case "$line" in
            :0) files=1 ;;
            :*|'') ;;
            *) choices+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}") ;;
        esac
    done
    (( $#choices )) && _describe 'kubectl kruise' choices
    (( files )) && _files
}
if [ "$funcstack[1]" = "_kubectl-kruise" ]; then
    _kubectl_kruise
else
    compdef _kubectl_kruise kubectl-kruise
fi
"""

_FISH: Final = """\
# fish completion for kubectl-kruise
function __kubectl_kruise_choices
    set -l words (commandline -opc) (commandline -ct)
    for line in (kubectl-kruise __complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':0'
                __fish_complete_path (commandline -ct)
            case ':*'
            case '*'
                printf '%s\\n' $line
        end
    end
end
complete -c kubectl-kruise -f -a '(__kubectl_kruise_choices)'
"""

_POWERSHELL: Final = """\
# PowerShell completion for kubectl-kruise
Register-ArgumentCompleter -Native -CommandName kubectl-kruise -ScriptBlock {
    param($word, $ast, $position)
    $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($word -eq '') { $words += '' }
    & kubectl-kruise __complete @words 2>$null | Where-Object { $_ -and -not $_.StartsWith(':') } | ForEach-Object {
        $value, $text = $_ -split "`t", 2
        if (-not $text) { $text = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
    }
}
"""

_KUBECTL: Final = """\
#!/usr/bin/env sh
# kubectl calls this for `kubectl kruise <TAB>`; it belongs on the PATH as kubectl_complete-kruise.
exec kubectl-kruise __complete "$@"
"""

_TEXTS: Final = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL, "kubectl": _KUBECTL}


def script(shell: str) -> str:
    """Give the script of one of `SHELLS`."""
    return _TEXTS[shell]
