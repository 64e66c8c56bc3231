package pgparse

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	query "github.com/pganalyze/pg_query_go/v6"
)

// BodyQuote is around the body of a routine in texts that ParseRoutine reads fast.
const BodyQuote = "$function$"

// ParseRoutine takes the first CREATE FUNCTION or CREATE PROCEDURE of a text apart; the text may hold
// other statements. Nobody may change what the result refers to. The error is an *Error.
func ParseRoutine(sql string) (*Routine, error) {
	before, body, after, ok := CutBody(sql)
	if !ok {
		return parseRoutine(sql)
	}
	// Without the body, and what comes behind the statement, there is a fifth of the work.
	options, _, _ := strings.Cut(after, ";")
	r, err := parseHead(before, "''"+options)
	if err != nil || r.Body != "" {
		return parseRoutine(sql)
	}
	r.Body = body
	return r, nil
}

// headStart is how a routine's statement begins, with a plain name in a plain schema.
var headStart = regexp.MustCompile(`^CREATE OR REPLACE (FUNCTION|PROCEDURE) ([a-z_][a-z0-9_]*)\.([a-z_][a-z0-9_]*)\(`)

// heads are what parseRoutine has read, by all but the name: the functions of many policies differ in
// nothing else before their bodies.
var heads sync.Map

// parseHead reads a routine without its body, which stands between before and after.
func parseHead(before, after string) (*Routine, error) {
	begin := max(strings.Index(before, "CREATE "), 0)
	at := headStart.FindStringSubmatch(before[begin:])
	if at == nil || begin > 0 && before[begin-1] != '\n' || strings.Count(before, "CREATE ") > 1 {
		return parseRoutine(before + after)
	}
	head := "CREATE " + at[1] + " x.x(" + before[begin+len(at[0]):] + after
	known, ok := heads.Load(head)
	if !ok {
		r, err := parseRoutine(head)
		if err != nil {
			return nil, err
		}
		known, _ = heads.LoadOrStore(head, r)
	}
	r := *known.(*Routine)
	r.Schema, r.Name = at[2], at[3]
	return &r, nil
}

// CutBody takes the body out of a text with one routine whose body stands between two BodyQuotes.
func CutBody(sql string) (before, body, after string, ok bool) {
	parts := strings.Split(sql, BodyQuote)
	if len(parts) != 3 {
		return sql, "", "", false
	}
	return parts[0], parts[1], parts[2], true
}

func parseRoutine(sql string) (*Routine, error) {
	tree, err := parse("", sql, "")
	if err != nil {
		return nil, err
	}
	for _, raw := range tree.Stmts {
		if create := raw.Stmt.GetCreateFunctionStmt(); create != nil {
			return routine(create, sql)
		}
	}
	return nil, &Error{Message: "there is no CREATE FUNCTION or CREATE PROCEDURE"}
}

func routine(create *query.CreateFunctionStmt, sql string) (*Routine, error) {
	r := &Routine{Procedure: create.IsProcedure, Language: "sql", Volatility: "volatile", Parallel: "unsafe", Settings: map[string]string{}}
	r.Name = create.Funcname[len(create.Funcname)-1].GetString_().GetSval()
	if len(create.Funcname) > 1 {
		r.Schema = create.Funcname[0].GetString_().GetSval()
	}
	tokens, err := scanAll(sql)
	if err != nil {
		return nil, err
	}
	r.Arguments, r.Signature = arguments(create.Parameters, tokens, sql), signature(create, tokens, sql)
	if r.Cost = 100; r.Signature.Set {
		r.Rows = 1000
	}
	for _, option := range create.Options {
		r.option(option.GetDefElem())
		r.promise(option.GetDefElem())
	}
	return r, nil
}

func (r *Routine) option(def *query.DefElem) {
	switch def.Defname {
	case "language":
		r.Language = def.Arg.GetString_().GetSval()
	case "as":
		r.Body = def.Arg.GetList().GetItems()[0].GetString_().GetSval()
	case "security":
		r.Definer = def.Arg.GetBoolean().GetBoolval()
	case "volatility":
		r.Volatility = def.Arg.GetString_().GetSval()
	case "set":
		r.set(def.Arg.GetVariableSetStmt())
	}
}

// promise is an option by which the server decides when, how often and where it calls a routine.
func (r *Routine) promise(def *query.DefElem) {
	switch def.Defname {
	case "strict":
		r.Strict = def.Arg.GetBoolean().GetBoolval()
	case "leakproof":
		r.Leakproof = def.Arg.GetBoolean().GetBoolval()
	case "parallel":
		r.Parallel = def.Arg.GetString_().GetSval()
	case "cost":
		r.Cost = number(def.Arg)
	case "rows":
		r.Rows = number(def.Arg)
	case "support":
		r.Support = dotted(def.Arg.GetList().GetItems())
	}
}

func number(node *query.Node) float64 {
	if digits := node.GetFloat().GetFval(); digits != "" {
		value, _ := strconv.ParseFloat(digits, 64) // of which the scanner has made sure
		return value
	}
	return float64(node.GetInteger().GetIval())
}

func (r *Routine) set(set *query.VariableSetStmt) {
	if set.Kind != query.VariableSetKind_VAR_SET_VALUE {
		return
	}
	name := settingName(set.Name)
	var values []string
	for _, arg := range set.Args {
		values = append(values, settingValue(name, arg.GetAConst()))
	}
	r.Settings[name] = strings.Join(values, ", ")
}

// settingName is the spelling in pg_proc.proconfig, which is the server's own.
func settingName(name string) string {
	name = strings.ToLower(name)
	for _, canonical := range []string{"TimeZone", "IntervalStyle", "DateStyle"} {
		if strings.ToLower(canonical) == name {
			return canonical
		}
	}
	return name
}

// arguments are the types of the input parameters as the text writes them.
func arguments(parameters []*query.Node, tokens []token, sql string) []string {
	var types []string
	for _, node := range parameters {
		p := node.GetFunctionParameter()
		if p.Mode == query.FunctionParameterMode_FUNC_PARAM_OUT || p.Mode == query.FunctionParameterMode_FUNC_PARAM_TABLE {
			continue
		}
		types = append(types, typeText(tokens, int(p.ArgType.Location), sql))
	}
	return types
}

// typeText is the text from start to the comma, bracket or default that ends the parameter.
func typeText(tokens []token, start int, sql string) string {
	first := slices.IndexFunc(tokens, func(t token) bool { return t.start >= start })
	depth, end := 0, start
	for _, t := range tokens[max(first, 0):] {
		depth += t.depth()
		comment := t.kind == query.Token_SQL_COMMENT || t.kind == query.Token_C_COMMENT
		if depth < 0 || depth == 0 && (t.text == "," || t.text == "=" || strings.EqualFold(t.text, "default")) || comment {
			break
		}
		end = t.end
	}
	return sql[start:end]
}
