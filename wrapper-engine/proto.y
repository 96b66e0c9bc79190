/*
 * proto.y - declarations of a C header, as far as MPI's need it
 *
 * A declaration that does not fit is skipped up to its ';' or body. That no MPI
 * prototype is lost that way is checked afterwards: see rsd_model_settle.
 */
%define api.pure full
%define api.prefix {rsd_proto_}
%define parse.error verbose
%locations
%expect 0
%code requires {
#include "proto.h"
typedef void *yyscan_t;
}
%param { yyscan_t scanner }
%parse-param { struct proto *p }

%union {
	const char *string;
	int number;
	struct { bool is_const; const char *base; } bare;
	struct type type;
	struct param *param;
	struct { struct list list; bool variadic; } params;
}
%token <string> T_NAME T_NUMBER T_TAG T_BUILTIN
%token T_CONST T_TYPEDEF T_ELLIPSIS T_BODY T_OTHER
%type <string> base builtins name size
%type <number> quals
%type <bare> bare
%type <type> type arrays
%type <param> param
%type <params> params list
%destructor { free($$.list.item); } <params>

%code {
#include <stdlib.h>
#include <string.h>
#include "proto.tab.h"

int rsd_proto_lex(YYSTYPE *value, YYLTYPE *loc, yyscan_t scanner);

/* Declarations that do not fit are no errors: the header holds much else. */
static void rsd_proto_error(const YYLTYPE *loc, yyscan_t scanner, struct proto *p, const char *text)
{
	(void)loc, (void)scanner, (void)p, (void)text;
}

static struct param *new_param(struct proto *p, struct type type, const char *name)
{
	struct param *param = rsd_model_alloc(p->m, sizeof(*param));

	param->type = type;
	param->spelled = name;
	return param;
}

static struct type with_arrays(struct proto *p, struct type type, struct type arrays)
{
	type.depth += arrays.depth;
	type.after = arrays.after;
	type.inner = arrays.inner;
	(void)p;
	return type;
}

/* What follows the name of a pointer to a function. */
static const char *callback_params(struct proto *p, const struct list *params, bool variadic)
{
	const char *text = ")(";

	for (size_t i = 0; i < params->nr; i++) {
		const struct param *param = params->item[i];

		text = rsd_model_format(p->m, "%s%s%s%s", text, i ? ", " : "", param->type.before,
			param->type.after);
	}
	return rsd_model_format(p->m, "%s%s)", text, variadic ? ", ..." : params->nr ? "" : "void");
}

static bool is_void(const struct list *params)
{
	const struct param *only = params->nr == 1 ? params->item[0] : NULL;

	return only && !only->spelled && !only->type.depth && !only->type.callback &&
	       !strcmp(only->type.base, "void");
}

static void add_func(struct proto *p, int line, struct type ret, const char *name,
	struct list params, bool variadic)
{
	struct func *f;

	if (!strncmp(name, "PMPI", 4)) {
		rsd_list_add(&p->m->twins, (void *)(name + 1));
		free(params.item);
		return;
	}
	if (strncmp(name, "MPI", 3)) {
		free(params.item);
		return;
	}
	f = rsd_model_alloc(p->m, sizeof(*f));
	f->name = name;
	f->ret = ret;
	f->variadic = variadic;
	f->loc = p->at;
	f->loc.line = line;
	if (is_void(&params))
		params.nr = 0;
	f->params = params;
	rsd_list_add(&p->m->funcs, f);
}
}

%%

unit
	: %empty
	| unit item
	;
item
	: ';'
	| T_BODY
	| type T_NAME '(' params ')' ';' {
		add_func(p, @2.first_line, $1, $2, $4.list, $4.variadic);
	}
	| type T_NAME ';' {
		if (!strncmp($2, "MPI", 3))
			rsd_proto_constant(p, $2, strlen($2));
	}
	| error ';' { yyerrok; p->parens = 0; }
	| error T_BODY { yyerrok; p->parens = 0; }
	;
type
	: bare {
		$$ = (struct type){ .is_const = $1.is_const, .base = $1.base, .inner = 1, .after = "",
			.before = rsd_model_format(p->m, "%s%s ", $1.is_const ? "const " : "", $1.base) };
	}
	| type '*' quals {
		$$ = $1;
		$$.depth++;
		$$.before = rsd_model_format(p->m, "%s*%s", $1.before, $3 ? "const " : "");
	}
	;
bare
	: quals base quals { $$.is_const = $1 || $3; $$.base = $2; }
	;
quals
	: %empty { $$ = 0; }
	| quals T_CONST { $$ = 1; }
	;
base
	: builtins
	| T_NAME
	| T_TAG T_NAME { $$ = rsd_model_format(p->m, "%s %s", $1, $2); }
	;
builtins
	: T_BUILTIN
	| builtins T_BUILTIN { $$ = rsd_model_format(p->m, "%s %s", $1, $2); }
	;
params
	: %empty { $$.list = (struct list){ NULL, 0, 0 }; $$.variadic = false; }
	| list
	| list ',' T_ELLIPSIS { $$ = $1; $$.variadic = true; }
	;
list
	: param { $$.list = (struct list){ NULL, 0, 0 }; $$.variadic = false; rsd_list_add(&$$.list, $1); }
	| list ',' param { $$ = $1; rsd_list_add(&$$.list, $3); }
	;
param
	: type name { $$ = new_param(p, $1, $2); }
	| type name arrays { $$ = new_param(p, with_arrays(p, $1, $3), $2); }
	| type '(' '*' name ')' '[' T_NUMBER ']' {
		struct type row = { .depth = 1, .inner = (int)strtol($7, NULL, 0) };

		row.after = rsd_model_format(p->m, "[][%s]", $7);
		$$ = new_param(p, with_arrays(p, $1, row), $4);
	}
	| type '(' '*' name ')' '(' params ')' {
		$$ = new_param(p, $1, $4);
		$$->type.callback = true;
		$$->type.before = rsd_model_format(p->m, "%s(*", $1.before);
		$$->type.after = callback_params(p, &$7.list, $7.variadic);
		free($7.list.item);
	}
	;
name
	: %empty { $$ = NULL; }
	| T_NAME
	;
arrays
	: '[' size ']' {
		$$ = (struct type){ .depth = 1, .inner = 1 };
		$$.after = rsd_model_format(p->m, "[%s]", $2);
	}
	| arrays '[' T_NUMBER ']' {
		$$ = $1;
		$$.inner *= (int)strtol($3, NULL, 0);
		$$.after = rsd_model_format(p->m, "%s[%s]", $1.after, $3);
	}
	;
size
	: %empty { $$ = ""; }
	| T_NUMBER
	| T_NAME { $$ = ""; }
	;
