/*
 * main.c - wrapper-engine: options, and the order of the passes
 */
#include <stdio.h>
#include <string.h>
#include "emit.h"
#include "proto.h"
#include "resolve.h"
#include "spec.h"
#include "util.h"

static const char usage[] =
	"usage: wrapper-engine [-o DIR] [--tool] [--fortran NAMES] [--quiet] HEADER SPEC...\n"
	"\n"
	"Reads a preprocessed mpi.h (cc -E -dD) and spec files, and writes PMPI wrappers.\n"
	"\n"
	"  -o DIR    where to write (default: the current folder)\n"
	"  --record  wrappers that record every call (the default): wrappers.c, fwrappers.c,\n"
	"            optab.c, optab.h, replay_calls.c, prototypes.c, and the tests alltest.c and\n"
	"            twins.c\n"
	"  --tool    wrappers for functions with pre or post blocks only, without recording:\n"
	"            wrappers.c, alltest.c, twins.c\n"
	"  --fortran NAMES  a file with the names that the libraries of MPI's Fortran layer "
	"define, "
	"and\n"
	"            the C functions that they call (mk/fortran-names): entry points are written "
	"for "
	"those\n"
	"            that do not lead to C's functions\n"
	"  --quiet   no warnings\n"
	"  --help    this text\n"
	"\n"
	"A file is only touched where its content changes. Exit code: 0 written; 1 errors in\n"
	"header or spec, nothing written; 2 wrong usage, or a file that can't be read or "
	"written.\n";

struct options {
	const char *dir, *fortran;
	bool record, quiet;
	int first; /* index of HEADER */
};

static void read_options(struct options *opt, int argc, char **argv)
{
	int i;

	*opt = (struct options){ .dir = ".", .record = true };
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "-o") && i + 1 < argc)
			opt->dir = argv[++i];
		else if (!strcmp(argv[i], "--fortran") && i + 1 < argc)
			opt->fortran = argv[++i];
		else if (!strcmp(argv[i], "--record"))
			opt->record = true;
		else if (!strcmp(argv[i], "--tool"))
			opt->record = false;
		else if (!strcmp(argv[i], "--quiet"))
			opt->quiet = true;
		else
			rsd_fatal("unknown option '%s'; --help lists them", argv[i]);
	}
	if (argc - i < 2)
		rsd_fatal("a header and a spec are needed; --help tells more");
	opt->first = i;
}

static void write_all(struct model *m, const struct options *opt)
{
	struct out wrappers, o;

	rsd_out_init(&wrappers, "wrappers.c");
	rsd_emit_wrap(m, &wrappers, opt->record);
	rsd_out_init(&o, "twins.c");
	rsd_emit_twins(m, &o, &wrappers, opt->record);
	rsd_out_write(&o, opt->dir);
	rsd_out_init(&o, "alltest.c");
	rsd_emit_alltest(m, &o, opt->record);
	rsd_out_write(&o, opt->dir);
	if (opt->record) {
		rsd_out_init(&o, "optab.h");
		rsd_emit_table_header(m, &o);
		rsd_out_write(&o, opt->dir);
		rsd_out_init(&o, "optab.c");
		rsd_emit_table(m, &o);
		rsd_out_write(&o, opt->dir);
		rsd_out_init(&o, "replay_calls.c");
		rsd_emit_replay(m, &o);
		rsd_out_write(&o, opt->dir);
		rsd_out_init(&o, "prototypes.c");
		rsd_emit_prototypes(m, &o);
		rsd_out_write(&o, opt->dir);
		rsd_out_init(&o, "fwrappers.c");
		rsd_emit_fortran(m, &o);
		rsd_out_write(&o, opt->dir);
	}
	rsd_out_write(&wrappers, opt->dir);
}

int main(int argc, char **argv)
{
	struct options opt;
	struct model m;
	int status = 0;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	read_options(&opt, argc, argv);
	rsd_model_init(&m);
	m.quiet = opt.quiet;
	if (opt.fortran)
		rsd_model_read_fortran(&m, opt.fortran);
	rsd_proto_read(&m, argv[opt.first]);
	rsd_model_settle(&m);
	for (int i = opt.first + 1; i < argc; i++)
		rsd_spec_read(&m, argv[i]);
	if (!m.errors)
		rsd_resolve(&m, opt.record);
	if (m.errors)
		status = 1;
	else
		write_all(&m, &opt);
	rsd_model_release(&m);
	return status;
}
