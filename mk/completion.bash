# bash completion of rsd: commands and options are those that its own --help tells.

_rsd()
{
	local cur=${COMP_WORDS[COMP_CWORD]} rsd=${COMP_WORDS[0]} command= words=

	[ "$COMP_CWORD" -gt 1 ] && command=${COMP_WORDS[1]}
	if [ -z "$command" ] || [ "$command" = help ]; then
		words=$("$rsd" --help 2>/dev/null | sed -n 's/^  \([a-z0-9][a-z0-9]*\)  .*/\1/p')
		words="$words --help --version"
	elif [ "${cur#-}" != "$cur" ]; then
		words=$("$rsd" "$command" --help 2>/dev/null |
			sed -n 's/^  \(-., \)\{0,1\} *\(--[a-z-]*\).*/\2/p')
	elif [ "$command" = run ]; then
		COMPREPLY=($(compgen -c -- "$cur"))
		return
	fi
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -o bashdefault -F _rsd rsd
