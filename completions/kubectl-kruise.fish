# fish completion for kubectl-kruise
function __kubectl_kruise_choices
    set -l words (commandline -opc) (commandline -ct)
    for line in (kubectl-kruise __complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':0'
                __fish_complete_path (commandline -ct)
            case ':*'
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c kubectl-kruise -f -a '(__kubectl_kruise_choices)'
