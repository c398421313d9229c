/** Each script passes the words before the cursor to `svc __complete` and offers the lines it prints. */
const SCRIPTS = {
  bash: `# Completion of svc for bash.
_svc() {
  local IFS=$'\\n' candidate
  COMPREPLY=()
  while read -r candidate; do
    [[ "$candidate" == "\${COMP_WORDS[COMP_CWORD]}"* ]] && COMPREPLY+=("$(printf '%q' "$candidate")")
  done < <(svc __complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
}
complete -o default -F _svc svc
`,
  zsh: `#compdef svc
# Completion of svc for zsh.
_svc() {
  local -a candidates
  candidates=("\${(@f)$(svc __complete "\${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
  if (( \${#candidates[1]} )); then compadd -a candidates; else _files; fi
}
if [[ "$funcstack[1]" == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`,
  fish: `# Completion of svc for fish.
function __svc_complete
  set -l words (commandline -opc)
  svc __complete $words[2..-1] 2>/dev/null
end
complete -c svc -f -a '(__svc_complete)'
complete -c svc -n '__fish_seen_subcommand_from create update apply pull send' -F
`,
} as const

export function completionScript(shell: keyof typeof SCRIPTS): string {
  return SCRIPTS[shell]
}
