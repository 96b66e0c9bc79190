"""Runs the commands of the documents: docs.py ROOT WORK

A command is a line that begins, blanks aside, with "$ ", and goes on on the next one where it ends with a backslash. Those of a document are typed one
after the other in a folder of its own. A comment, " # ..." behind two blanks or a tab, is for the reader. What stands below a command,
down to an empty line, the next command or the end of the block, is what it shows:

 - each line that stands there has to come, in any order: tables are sorted by time, and times are not ours to tell;
 - so a number with a point, or with a unit of time or a percent sign behind it, stands for any such number;
 - "..." for anything, blanks for any blanks, and bars of # for nothing.

A command must end with 0, or with 1 where it is rsd diff (that is its answer). What can't be typed in a test is in NOT_RUN, with the reason: a
command that is new in a document either runs or is told there. Prints a line of the suite for each command.
"""
import glob, os, re, shutil, subprocess, sys

ROOT, WORK = sys.argv[1:]
NOT_RUN = [  # pattern of the whole command, why
	(r"make( .*)?", "builds, which the tests themselves are run from"),
	(r"module load .*", "a cluster's"),
	(r"smpirun .*-replay.*", "tests/run/export.sh does"),
	(r"smpicc .*|smpirun .*", "tests/run/smpi.sh does"),
	(r"cc .*record-glob.*", "takes what is installed: tests/run/install.sh does"),
	(r"sudo .*|apt.*|scripts/install-deps.*", "installs packages"),
	(r"srun .*|sbatch .*", "a batch system's"),
]
OPTIONAL = ("otf2-print",)  # programs that need not be here
# A command that lost its "$ ": tables have tabs behind what they explain.
UNMARKED = re.compile(r"(rsd|mpicc|mpiexec|rsd-replay|smpicc|smpirun) [^\t|;)]*( -|\./|\.rsd)[^\t|]*$")


def commands(path):
	"""[command, [shown line]] of a document, in order."""
	found, shown, in_block = [], None, False
	is_man = path.endswith((".1", ".5"))
	lines = iter(open(path).read().split("\n"))
	for line in lines:
		text = line.strip()
		in_block = is_man and (text == ".nf" or (in_block and text != ".fi"))
		if is_man:
			text = text.replace("\\-", "-").replace("\\e", "\\")
		if text.startswith("$ "):
			text = text[2:]
			while text.endswith("\\"):
				text = text[:-1] + next(lines).strip()
			found.append([re.sub(r"(\t|  )\s*#.*", "", text).strip(), []])
			shown = found[-1][1]
		elif (line.startswith(("\t", "    ")) or in_block) and shown is None and UNMARKED.match(text):
			found.append([text, None])
		elif not text or text.startswith(("```", ".fi")) or not (is_man or line.startswith(("\t", " "))):
			shown = None
		elif shown is not None:
			shown.append(text)
	return found


def pattern(line):
	"""The line as a regular expression, by the rules above."""
	line = re.sub(r"\s+#+$", "", line)
	out, number = "", r"[-+]?\d+(?:\.\d+)?(?:e-?\d+)?(?: (?:ns|us|ms|s)\b|%)|[-+]?\d+\.\d+(?:e-?\d+)?"
	for piece in re.split(r"(\.\.\.|%s|\s+)" % number, line):
		if piece == "...":
			out += ".*"
		elif piece.isspace():
			out += r"\s+"
		elif re.fullmatch(number, piece):
			out += r"(?:%s|-)" % number
		else:
			out += re.escape(piece)
	return out + r"(?:\s+#+)?"


def check(command, shown, rc, output):
	if rc != 0 and not (rc == 1 and command.startswith("rsd diff")):
		return "exit code %d: %s" % (rc, output[-300:])
	lines = [line.strip() for line in output.split("\n")]
	for line in shown:
		if line != "..." and not any(re.fullmatch(pattern(line), got) for got in lines):
			return "it does not show: %s\n       but: %s" % (line, output[:1500].replace("\n", "\n       "))
	return None


class Shell:
	"""One shell for a document, so that what is set stays set."""

	def __init__(self, folder):
		home = os.path.join(WORK, "home")
		if not os.path.isdir(home):
			os.mkdir(home)
			os.symlink(ROOT, os.path.join(home, "record"))
		env = dict(os.environ, HOME=home, PATH=os.path.join(ROOT, "bin") + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")
		self.process = subprocess.Popen(["timeout", "900", "bash"], cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
			stderr=subprocess.STDOUT, text=True)

	def run(self, command):
		self.process.stdin.write("{ %s\n} </dev/null\necho \"=end= $?\"\n" % command)
		self.process.stdin.flush()
		output = ""
		for line in self.process.stdout:
			end = re.search(r"=end= (\d+)$", line)
			if end:
				return int(end.group(1)), output + line[:end.start()]
			output += line
		return 124, output


def prepare(folder):
	"""What the documents take for granted: the tutorial's files, and a program of the reader's own; manual pages: its trace."""
	if folder.endswith((".1", ".5")):
		shutil.copy(os.path.join(WORK, "coming-from.md", "trace-4.rsd"), folder)
		return
	for name in glob.glob(os.path.join(ROOT, "doc/tutorial/*")):
		if not name.endswith(".png"):
			shutil.copy(name, folder)
	if not folder.endswith("tutorial.md"):
		os.remove(os.path.join(folder, "record.in"))
		os.rename(os.path.join(folder, "heat.c"), os.path.join(folder, "app.c"))
		subprocess.check_call([os.environ.get("MPICC", "mpicc"), "-g", "-w", "app.c", "-o", "old-app"], cwd=folder)


def main():
	failed = 0
	documents = [os.path.join(ROOT, n) for n in ("README", "BUILD", "doc/mpis.md", "doc/tutorial.md", "doc/coming-from.md")]
	for path in documents + sorted(glob.glob(os.path.join(ROOT, "doc/man/*"))):
		name = os.path.basename(path)
		found = commands(path)
		if not found:
			continue
		folder = os.path.join(WORK, name)
		os.mkdir(folder)
		prepare(folder)
		shell = Shell(folder)
		for command, shown in found:
			if any(re.fullmatch(p, command) for p, _ in NOT_RUN):
				continue
			program = command.split()[0]
			if program in OPTIONAL and not shutil.which(program):
				print("skip docs: %s: %s: there is no %s" % (name, command, program))
				continue
			why = check(command, shown, *shell.run(command)) if shown is not None else "a command that is not marked: $"
			print("%s docs: %s: %s" % ("FAIL" if why else "ok  ", name, command))
			if why:
				print("       " + why)
				failed = 1
		shell.process.kill()
	return failed


sys.exit(main())
