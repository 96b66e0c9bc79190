# bash completion of rsd and rsd-replay: commands, options and values are those that their own --help tells.

# The options in a help text.
_rsd_options()
{
	sed -n 's/^  \(-., \)\{0,1\} *\(--[a-z-]*\).*/\2/p'
}

# _rsd_values OPTION: its values in a help text, where that lists some: "one: what it is; another; ..."
_rsd_values()
{
	awk -v option="$1" '
		/^[^ ]/ || /^$/ { on = 0 }
		/^  +-/ {
			on = index($0, option "=") || index($0, " " option ",")
			sub(/^ *(-., *)?--[a-z-]*=[A-Z]* */, "")
		}
		on {
			n = split($0, part, ";")
			for (i = 1; i <= n; i++) {
				sub(/^ */, "", part[i])
				if (part[i] ~ /^[a-z0-9]+(:.*)?$/) {
					sub(/:.*/, "", part[i])
					print part[i]
				}
			}
		}'
}

_rsd()
{
	local cur=${COMP_WORDS[COMP_CWORD]} rsd=${COMP_WORDS[0]} command= words= option=

	[ "$COMP_CWORD" -gt 1 ] && command=${COMP_WORDS[1]}
	# "--to=x" is three words here, "--to x" and "-t x" are two.
	if [ "$COMP_CWORD" -gt 2 ]; then
		option=${COMP_WORDS[COMP_CWORD - 1]}
		[ "$option" = = ] && option=${COMP_WORDS[COMP_CWORD - 2]}
		[ "$cur" = = ] && cur=
		case $option in
		-*) words=$("$rsd" "$command" --help 2>/dev/null | _rsd_values "$option") ;;
		esac
		if [ -n "$words" ]; then
			COMPREPLY=($(compgen -W "$words" -- "$cur"))
			return
		fi
		cur=${COMP_WORDS[COMP_CWORD]}
	fi
	if [ -z "$command" ] || [ "$command" = help ]; then
		words=$("$rsd" --help 2>/dev/null | sed -n 's/^  \([a-z0-9][a-z0-9]*\)  .*/\1/p')
		words="$words --help --version"
	elif [ "${cur#-}" != "$cur" ]; then
		words=$("$rsd" "$command" --help 2>/dev/null | _rsd_options)
	elif [ "$command" = run ]; then
		COMPREPLY=($(compgen -c -- "$cur"))
		return
	fi
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -o bashdefault -F _rsd rsd

# mpiexec has completions of its own, if any: this is for the program at the beginning of a line.
_rsd_replay()
{
	local cur=${COMP_WORDS[COMP_CWORD]} words=

	[ "${cur#-}" != "$cur" ] && words=$("${COMP_WORDS[0]}" --help 2>/dev/null | _rsd_options)
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -o bashdefault -F _rsd_replay rsd-replay
