# Fish completion for cocoon. What can be completed is asked of the program itself, so it never lags behind.
function __cocoon_commands
    cocoon --help 2>/dev/null | string replace -rf '^  ([a-z]+) .*' '$1' | sort -u
end
function __cocoon_flags
    set -l words (commandline -opc)
    cocoon $words[2] --help 2>/dev/null | string replace -rf '^  (?:-., )?(--[a-z-]+).*' '$1'
end
function __cocoon_plugins
    cocoon plugins 2>/dev/null | string replace -rf "^$argv[1] +([a-z0-9-]+) .*" '$1'
end
complete -c cocoon -n __fish_use_subcommand -f -a '(__cocoon_commands)'
complete -c cocoon -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__cocoon_flags)'
complete -c cocoon -l runtime -x -a '(__cocoon_plugins runtime)'
complete -c cocoon -l driver -x -a '(__cocoon_plugins driver)'
complete -c cocoon -l net -x -a 'none host'
complete -c cocoon -l profile -x -a 'strict build'
complete -c cocoon -l log-level -x -a 'debug info warning error off'
