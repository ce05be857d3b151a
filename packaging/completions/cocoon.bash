# Bash completion for cocoon. What can be completed is asked of the program itself, so it never lags behind.
_cocoon() {
  local current=$2 previous=$3 command=${COMP_WORDS[1]} i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$(cocoon --help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p' | sort -u)" -- "$current")
    return
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -- ]] || continue
    mapfile -t COMPREPLY < <(compgen -c -f -- "$current")
    return
  done
  case $previous in
    --runtime | --driver)
      mapfile -t COMPREPLY < <(compgen -W "$(cocoon plugins 2>/dev/null | awk -v kind="${previous#--}" '$1 == kind { print $2 }')" -- "$current")
      return ;;
    --net) mapfile -t COMPREPLY < <(compgen -W "none host" -- "$current"); return ;;
    --profile) mapfile -t COMPREPLY < <(compgen -W "strict build" -- "$current"); return ;;
    --log-level) mapfile -t COMPREPLY < <(compgen -W "debug info warning error off" -- "$current"); return ;;
  esac
  if [[ $command == plugin ]]; then
    ((COMP_CWORD == 2)) && mapfile -t COMPREPLY < <(compgen -W "new" -- "$current")
    ((COMP_CWORD == 3)) && mapfile -t COMPREPLY < <(compgen -W "runtime" -- "$current")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(cocoon "$command" --help 2>/dev/null | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p')" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -o filenames -F _cocoon cocoon
