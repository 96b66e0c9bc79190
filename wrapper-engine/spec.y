/*
 * spec.y - the statements of a spec
 *
 * A statement that does not parse is reported and skipped, so that one run
 * shows all mistakes. What a word means beyond its place is resolve.c's matter.
 */
%define api.pure full
%define api.prefix {rsd_spec_}
%define parse.error verbose
%locations
%expect 0
%code requires {
#include "spec.h"
typedef void *yyscan_t;
}
%param { yyscan_t scanner }
%parse-param { struct spec_reader *r }

%union {
	const char *string;
	int number;
	struct code *code;
	struct expr *expr;
	struct role *role;
	struct list list;
	struct type_pattern type;
}
%token <string> T_WORD "name" T_FUNC "MPI name" T_NUMBER "number" T_COMPARE "comparison"
%token <code> T_CODE "{ C }"
%token T_END "end of statement" T_ARRAY "[]" T_AND "&&" T_OR "||"
%token T_ALIAS "alias" T_CALLBACK "callback" T_CLASS "class" T_CONSTANTS "constants" T_FACT "fact"
%token T_FORTRAN "fortran" T_LATER "later" T_LOGICAL "logical" T_GUARD "guard" T_HANDLE "handle" T_NAMES "names"
%token T_NUMBER_TYPE "number types" T_PROLOGUE "prologue" T_ROLE "role" T_SUFFIX "suffix"
%token T_CONST "const" T_EARLY "early" T_FROM_1 "from_1" T_IF "if" T_INTEGER "integer" T_LIKE "like" T_OF "of" T_POST "post" T_PRE "pre" T_WITHOUT_0 "without_0"
%token T_RECV "recv" T_SENT "sent" T_UNPLAYED "unplayed" T_WEAK "weak" T_WILD "wild"
%type <string> word anyword
%type <list> words anywords patterns anypatterns
%type <type> type
%type <number> depth
%type <role> role role_of_kind role_words
%type <expr> expr args arg_list
%destructor { free($$.item); } <list>
%left T_OR
%left T_AND
%left T_COMPARE
%left '+' '-'
%left '*' '/'
%right '!'

%code {
#include <stdlib.h>
#include <string.h>
#include "spec.tab.h"

int rsd_spec_lex(YYSTYPE *value, YYLTYPE *loc, yyscan_t scanner);

static struct loc at(const struct spec_reader *r, YYLTYPE loc)
{
	return (struct loc){ r->at.file, loc.first_line };
}

static void rsd_spec_error(const YYLTYPE *loc, yyscan_t scanner, struct spec_reader *r, const char *text)
{
	(void)scanner;
	rsd_error(r->m, at(r, *loc), "%s", text);
}

static struct expr *new_expr(struct spec_reader *r, YYLTYPE loc, enum expr_op op, const char *text,
	struct expr *a, struct expr *b)
{
	struct expr *e = rsd_model_alloc(r->m, sizeof(*e));

	*e = (struct expr){ .op = op, .text = text, .kid = { a, b }, .loc = at(r, loc) };
	return e;
}

static struct pattern *new_pattern(struct spec_reader *r, YYLTYPE loc, const char *text)
{
	struct pattern *p = rsd_model_alloc(r->m, sizeof(*p));

	*p = (struct pattern){ .text = text, .loc = at(r, loc) };
	return p;
}

/* 'from' stands for each of the words. Takes the list. */
static void add_words(struct spec_reader *r, YYLTYPE loc, struct list *to, const struct list *from,
	const char *meaning)
{
	for (size_t i = 0; i < from->nr; i++) {
		struct word *w = rsd_model_alloc(r->m, sizeof(*w));

		*w = (struct word){ .from = from->item[i], .to = meaning, .loc = at(r, loc) };
		rsd_list_add(to, w);
	}
	free(from->item);
}

/* Moves what is in 'more' behind 'to'. */
static void add_all(struct list *to, struct list *more)
{
	for (size_t i = 0; i < more->nr; i++)
		rsd_list_add(to, more->item[i]);
	free(more->item);
}

static struct group *add_group(struct spec_reader *r, YYLTYPE loc, struct list *to, const char *name,
	struct list names)
{
	struct group *g = rsd_model_alloc(r->m, sizeof(*g));

	*g = (struct group){ .name = name, .names = names, .loc = at(r, loc) };
	rsd_list_add(to, g);
	return g;
}

/* One word of a role: what happens to the parameter, or what it is. */
static void role_word(struct spec_reader *r, YYLTYPE loc, struct role *role, const char *word,
	bool has_args, struct expr *args)
{
	static const char *const verb[] = { "put", "made", "freed", "seen" };

	for (size_t i = 0; i < sizeof(verb) / sizeof(*verb); i++) {
		if (!strcmp(word, verb[i])) {
			role->verb = (enum verb)i;
			return;
		}
	}
	if (!strcmp(word, "out")) {
		role->out = true;
	} else if (!strcmp(word, "inout")) {
		role->out = role->inout = true;
	} else if (!strcmp(word, "persistent")) {
		role->persistent = true;
	} else if (!strcmp(word, "kept")) {
		role->kept = true;
	} else if (!role->kind) {
		role->kind = word;
		role->has_args = has_args;
		role->args = args;
		if (args)
			role->arg = args->text;
	} else if (!role->arg) {
		role->arg = word;
		role->source = args;
		role->tag = args ? args->next : NULL;
	} else {
		rsd_error(r->m, at(r, loc), "'%s' is one word too many for a role", word);
	}
}

static struct role *new_role(struct spec_reader *r, YYLTYPE loc)
{
	struct role *role = rsd_model_alloc(r->m, sizeof(*role));

	role->loc = at(r, loc);
	return role;
}

/* Takes the list. */
static void add_setting(struct spec_reader *r, YYLTYPE loc, const struct list *names, struct role *role,
	struct expr *cond, enum in_fortran in_fortran)
{
	struct setting *s = rsd_model_alloc(r->m, sizeof(*s));

	s->role = role;
	s->cond = cond;
	s->in_fortran = in_fortran;
	for (size_t i = 0; i < names->nr; i++)
		rsd_list_add(&s->names, new_pattern(r, loc, names->item[i]));
	free(names->item);
	rsd_list_add(&r->line->settings, s);
}

static struct line *new_line(struct spec_reader *r, YYLTYPE loc, struct list funcs)
{
	struct line *line = rsd_model_alloc(r->m, sizeof(*line));

	line->funcs = funcs;
	line->loc = at(r, loc);
	rsd_list_add(&r->m->spec.lines, line);
	return line;
}
}

%%

spec
	: %empty
	| spec statement T_END
	| spec error T_END { yyerrok; }
	;
statement
	: T_SUFFIX ':' words { add_all(&r->m->spec.suffixes, &$3); }
	| T_HANDLE anywords ':' word { add_words(r, @1, &r->m->spec.handles, &$2, $4); }
	| T_NUMBER_TYPE anywords ':' word { add_words(r, @1, &r->m->spec.numbers, &$2, $4); }
	| T_CALLBACK ':' anywords { add_words(r, @1, &r->m->spec.callbacks, &$3, ""); }
	| T_FACT word ':' word {
		struct list one = { NULL, 0, 0 };

		rsd_list_add(&one, (void *)$2);
		add_words(r, @1, &r->m->spec.facts, &one, $4);
	}
	| T_ALIAS word ':' words { add_words(r, @1, &r->m->spec.aliases, &$4, $2); }
	| T_NAMES patterns ':' words {
		struct names *n = rsd_model_alloc(r->m, sizeof(*n));

		*n = (struct names){ .funcs = $2, .params = $4, .loc = at(r, @1) };
		rsd_list_add(&r->m->spec.names, n);
	}
	| T_ROLE type words ':' role {
		struct rule *rule = rsd_model_alloc(r->m, sizeof(*rule));

		*rule = (struct rule){ .type = $2, .names = $3, .role = $5, .loc = at(r, @1) };
		rsd_list_add(&r->m->spec.rules, rule);
	}
	| T_GUARD words ':' T_IF expr {
		struct guard *g = rsd_model_alloc(r->m, sizeof(*g));

		*g = (struct guard){ .names = $2, .cond = $5, .loc = at(r, @1) };
		rsd_list_add(&r->m->spec.guards, g);
	}
	| T_CLASS word ':' patterns { add_group(r, @1, &r->m->spec.classes, $2, $4); }
	| T_LATER word ':' patterns { add_group(r, @1, &r->m->spec.classes, $2, $4)->later = true; }
	| T_CONSTANTS word ':' anypatterns { add_group(r, @1, &r->m->spec.constants, $2, $4); }
	| T_FORTRAN ':' patterns { add_all(&r->m->spec.fortran, &$3); }
	| T_LOGICAL ':' words { add_all(&r->m->spec.logicals, &$3); }
	| T_PROLOGUE T_CODE { rsd_list_add(&r->m->spec.prologue, $2); }
	| functions clauses
	;
functions
	: patterns { r->line = new_line(r, @1, $1); }
	;
word
	: T_WORD
	;
words
	: word { $$ = (struct list){ NULL, 0, 0 }; rsd_list_add(&$$, (void *)$1); }
	| words word { $$ = $1; rsd_list_add(&$$, (void *)$2); }
	;
anyword
	: T_WORD
	| T_FUNC
	;
anywords
	: anyword { $$ = (struct list){ NULL, 0, 0 }; rsd_list_add(&$$, (void *)$1); }
	| anywords anyword { $$ = $1; rsd_list_add(&$$, (void *)$2); }
	;
patterns
	: T_FUNC { $$ = (struct list){ NULL, 0, 0 }; rsd_list_add(&$$, new_pattern(r, @1, $1)); }
	| patterns T_FUNC { $$ = $1; rsd_list_add(&$$, new_pattern(r, @2, $2)); }
	;
anypatterns
	: anyword { $$ = (struct list){ NULL, 0, 0 }; rsd_list_add(&$$, new_pattern(r, @1, $1)); }
	| anypatterns anyword { $$ = $1; rsd_list_add(&$$, new_pattern(r, @2, $2)); }
	;
type
	: anyword depth { $$ = (struct type_pattern){ false, $1, $2 }; }
	| T_CONST anyword depth { $$ = (struct type_pattern){ true, $2, $3 }; }
	;
depth
	: %empty { $$ = 0; }
	| depth T_ARRAY { $$ = $1 + 1; }
	;
clauses
	: clause
	| clauses ';' clause
	| clauses ';'
	;
clause
	: words ':' role { add_setting(r, @1, &$1, $3, NULL, AS_IN_C); }
	| T_FROM_1 words { add_setting(r, @1, &$2, NULL, NULL, FROM_1); }
	| T_INTEGER words { add_setting(r, @1, &$2, NULL, NULL, INTEGER); }
	| T_WITHOUT_0 words { add_setting(r, @1, &$2, NULL, NULL, WITHOUT_0); }
	| T_WITHOUT_0 words T_IF expr { add_setting(r, @1, &$2, NULL, $4, WITHOUT_0); }
	| words T_IF expr { add_setting(r, @1, &$1, NULL, $3, AS_IN_C); }
	| T_PRE T_CODE { r->line->pre = $2; }
	| T_POST T_CODE { r->line->post = $2; }
	| T_EARLY { r->line->flags |= FLAG_EARLY; }
	| T_UNPLAYED { r->line->flags |= FLAG_UNPLAYED; }
	| T_WEAK anyword {
		r->line->flags |= FLAG_WEAK;
		r->line->weak_else = new_expr(r, @2, EX_NAME, $2, NULL, NULL);
	}
	| T_SENT word word { r->line->sent[0] = $2; r->line->sent[1] = $3; }
	| T_RECV word word { r->line->recv[0] = $2; r->line->recv[1] = $3; }
	;
role_words
	: word { $$ = new_role(r, @1); role_word(r, @1, $$, $1, false, NULL); }
	| word '(' args ')' { $$ = new_role(r, @1); role_word(r, @1, $$, $1, true, $3); }
	| role_words word { $$ = $1; role_word(r, @2, $$, $2, false, NULL); }
	| role_words word '(' args ')' { $$ = $1; role_word(r, @2, $$, $2, true, $4); }
	| role_words T_RECV { $$ = $1; role_word(r, @2, $$, "recv", false, NULL); }
	| role_words T_RECV '(' args ')' { $$ = $1; role_word(r, @2, $$, "recv", true, $4); }
	;
role_of_kind
	: role_words {
		$$ = $1;
		if (!$1->kind) {
			rsd_error(r->m, at(r, @1), "the role does not say what the parameter is");
			$$->kind = "skip";
		}
	}
	;
role
	: role_of_kind
	| role_of_kind '[' expr ']' { $$ = $1; $$->len = $3; }
	| role T_IF expr { $$ = $1; $$->cond = $3; }
	| role T_OF expr { $$ = $1; $$->of = $3; }
	| role T_LIKE expr { $$ = $1; $$->like = $3; }
	| role T_WILD expr { $$ = $1; $$->wild = $3; }
	;
args
	: %empty { $$ = NULL; }
	| arg_list
	;
arg_list
	: expr
	| expr ',' arg_list { $$ = $1; $$->next = $3; }
	;
expr
	: T_NUMBER { $$ = new_expr(r, @1, EX_NUMBER, $1, NULL, NULL); }
	| T_WORD { $$ = new_expr(r, @1, EX_NAME, $1, NULL, NULL); }
	| T_WORD '(' args ')' {
		bool old = !strcmp($1, "old") && $3 && $3->op == EX_NAME && !$3->next;

		$$ = old ? new_expr(r, @1, EX_OLD, $3->text, NULL, NULL) :
			   new_expr(r, @1, EX_CALL, $1, $3, NULL);
	}
	| T_WORD '[' expr ']' { $$ = new_expr(r, @1, EX_INDEX, $1, $3, NULL); }
	| '(' expr ')' { $$ = new_expr(r, @1, EX_PAREN, "", $2, NULL); }
	| '!' expr { $$ = new_expr(r, @1, EX_NOT, "!", $2, NULL); }
	| expr '+' expr { $$ = new_expr(r, @2, EX_BINARY, "+", $1, $3); }
	| expr '-' expr { $$ = new_expr(r, @2, EX_BINARY, "-", $1, $3); }
	| expr '*' expr { $$ = new_expr(r, @2, EX_BINARY, "*", $1, $3); }
	| expr '/' expr { $$ = new_expr(r, @2, EX_BINARY, "/", $1, $3); }
	| expr T_COMPARE expr { $$ = new_expr(r, @2, EX_BINARY, $2, $1, $3); }
	| expr T_AND expr { $$ = new_expr(r, @2, EX_BINARY, "&&", $1, $3); }
	| expr T_OR expr { $$ = new_expr(r, @2, EX_BINARY, "||", $1, $3); }
	;
