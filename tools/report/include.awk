# Puts files into a page: a line "@include NAME" is the file NAME of the page's folder, "@chart" the library of charts.
BEGIN { folder = ARGV[1]; sub(/[^\/]*$/, "", folder) }
function put(name,   line, got) {
	while ((got = (getline line < name)) > 0)
		print line
	if (got < 0) {
		print "cannot read " name > "/dev/stderr"
		exit 1
	}
	close(name)
}
$1 == "@include" { put(folder $2); next }
$1 == "@chart" { put(chart); next }
{ print }
