package pgparse

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Routine is a CREATE FUNCTION or CREATE PROCEDURE, taken apart.
type Routine struct {
	Schema, Name string
	Procedure    bool
	Arguments    []string // input types as written, e.g. "bigint"
	Language     string
	Body         string
	Definer      bool
	Volatility   string            // "volatile", "stable", "immutable"
	Settings     map[string]string // name to value as pg_proc.proconfig has it
	Signature    Signature

	Strict, Leakproof bool
	Parallel          string  // "unsafe", "restricted", "safe"
	Cost              float64 // as pg_proc has it, also where the text has none
	Rows              float64
	Support           string // the support function as written, "" for none
}

// Signature is how a routine is called and what it answers.
type Signature struct {
	Parameters []Parameter
	Returns    string // a type
	Set        bool   // SETOF, or TABLE
}

// Parameter is a parameter of a routine, or a column of RETURNS TABLE.
type Parameter struct {
	Mode    string // IN, OUT, INOUT, VARIADIC or TABLE
	Name    string
	Type    string // the same for all spellings
	Default string // as written, "" for none
	Meaning string // the same for a default as it was written and as pg_get_expr() prints it
}

// Result writes the result as CREATE FUNCTION takes it.
func (s Signature) Result() string {
	if s.Set {
		return "RETURNS SETOF " + s.Returns
	}
	return "RETURNS " + s.Returns
}

// SameAs says whether two signatures are one. Types of input parameters are left out: by these the server finds
// routines.
func (s Signature) SameAs(other Signature) bool {
	return s.Result() == other.Result() && slices.EqualFunc(s.Parameters, other.Parameters, Parameter.SameAs)
}

// String writes a parameter as CREATE FUNCTION takes it.
func (p Parameter) String() string {
	var words []string
	if p.Mode != "IN" {
		words = append(words, p.Mode)
	}
	if p.Name != "" {
		words = append(words, p.Name)
	}
	words = append(words, p.Type)
	if p.Default != "" {
		words = append(words, "DEFAULT", p.Default)
	}
	return strings.Join(words, " ")
}

// output says whether a parameter has no part in finding the routine.
func (p Parameter) output() bool { return p.Mode == "OUT" || p.Mode == "TABLE" }

// SameAs says whether two parameters have one mode, name and default, and one type if they are for output only.
func (p Parameter) SameAs(other Parameter) bool {
	same := p.Mode == other.Mode && p.Name == other.Name && p.Meaning == other.Meaning
	return same && (p.Type == other.Type || !p.output())
}

// BodyQuote is around the body of a routine in texts that ParseRoutine reads fast.
const BodyQuote = "$function$"

// CutBody takes the body out of a text with one routine whose body stands between two BodyQuotes.
func CutBody(sql string) (before, body, after string, ok bool) {
	parts := strings.Split(sql, BodyQuote)
	if len(parts) != 3 {
		return sql, "", "", false
	}
	return parts[0], parts[1], parts[2], true
}

// ParseRoutine takes the first CREATE FUNCTION or CREATE PROCEDURE of a text apart; the text may hold
// other statements. Nobody may change what the result refers to. The error is an *Error.
func ParseRoutine(sql string) (*Routine, error) {
	if before, body, after, ok := CutBody(sql); ok {
		// Without the body, and what comes behind the statement, there is a fifth of the work, and the functions of many
		// policies differ in nothing else but their names.
		options, _, _ := strings.Cut(after, ";")
		schema, name, head := withoutName(before)
		if known, err := routines(head + "''" + options); err == nil && known.Body == "" {
			r := *known
			if r.Body = body; name != "" {
				r.Schema, r.Name = schema, name
			}
			return &r, nil
		}
	}
	r, err := parseRoutine(sql)
	if err != nil {
		return nil, err
	}
	return r, nil
}

var routines = remember(parseRoutine)

// headStart is how a routine's statement begins, with a plain name in a plain schema.
var headStart = regexp.MustCompile(`(?m)^CREATE OR REPLACE (?:FUNCTION|PROCEDURE) ([a-z_][a-z0-9_]*)\.([a-z_][a-z0-9_]*)\(`)

// withoutName is the text from a routine's statement on with another name; the name is "" where there is none such.
func withoutName(sql string) (schema, name, rest string) {
	at := headStart.FindStringSubmatchIndex(sql)
	if at == nil || strings.Count(sql, "CREATE ") > 1 {
		return "", "", sql
	}
	return sql[at[2]:at[3]], sql[at[4]:at[5]], sql[at[0]:at[2]] + "x.x" + sql[at[5]:]
}

func parseRoutine(sql string) (*Routine, *Error) {
	create, err := first(sql, "CREATE FUNCTION or CREATE PROCEDURE", (*query.Node).GetCreateFunctionStmt)
	if err != nil {
		return nil, err
	}
	tokens, err := scanAll(sql)
	if err != nil {
		return nil, err
	}
	r := &Routine{Procedure: create.IsProcedure, Language: "sql", Volatility: "volatile", Parallel: "unsafe", Settings: map[string]string{}, Cost: 100}
	r.Name = create.Funcname[len(create.Funcname)-1].GetString_().GetSval()
	if len(create.Funcname) > 1 {
		r.Schema = create.Funcname[0].GetString_().GetSval()
	}
	r.parameters(create, tokens, sql)
	if r.Signature.Set {
		r.Rows = 1000
	}
	for _, option := range create.Options {
		r.option(option.GetDefElem())
	}
	return r, nil
}

func (r *Routine) option(def *query.DefElem) {
	word, is := def.Arg.GetString_().GetSval(), def.Arg.GetBoolean().GetBoolval()
	switch def.Defname {
	case "language":
		r.Language = word
	case "as":
		r.Body = def.Arg.GetList().GetItems()[0].GetString_().GetSval()
	case "security":
		r.Definer = is
	case "volatility":
		r.Volatility = word
	case "strict":
		r.Strict = is
	case "leakproof":
		r.Leakproof = is
	case "parallel":
		r.Parallel = word
	case "cost":
		r.Cost = number(def.Arg)
	case "rows":
		r.Rows = number(def.Arg)
	case "support":
		r.Support = dotted(def.Arg.GetList().GetItems())
	case "set":
		r.set(def.Arg.GetVariableSetStmt())
	}
}

func number(node *query.Node) float64 {
	if digits := node.GetFloat().GetFval(); digits != "" {
		value, _ := strconv.ParseFloat(digits, 64) // of which the scanner has made sure
		return value
	}
	return float64(node.GetInteger().GetIval())
}

// set notes a setting as proconfig keeps it: its name in the server's own spelling, elements of search_path as
// identifiers, quoted where they must be, and everything else as text.
func (r *Routine) set(set *query.VariableSetStmt) {
	if set.Kind != query.VariableSetKind_VAR_SET_VALUE {
		return
	}
	name := strings.ToLower(set.Name)
	for _, canonical := range []string{"TimeZone", "IntervalStyle", "DateStyle"} {
		if strings.ToLower(canonical) == name {
			name = canonical
		}
	}
	var values []string
	for _, arg := range set.Args {
		value, _ := literal(arg)
		if name == "search_path" && value.Kind == TextConstant {
			value.Text = identifier(value.Text)
		}
		values = append(values, value.Text)
	}
	r.Settings[name] = strings.Join(values, ", ")
}

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// identifier quotes as the server's quote_identifier does: only where it must, and then also
// every keyword that is not unreserved.
func identifier(name string) string {
	tokens, err := scanAll(name)
	if plainName.MatchString(name) && err == nil && len(tokens) == 1 && !tokens[0].reserved {
		return name
	}
	return identifierQuoted(name)
}

func identifierQuoted(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

var modes = map[query.FunctionParameterMode]string{
	query.FunctionParameterMode_FUNC_PARAM_OUT: "OUT", query.FunctionParameterMode_FUNC_PARAM_INOUT: "INOUT",
	query.FunctionParameterMode_FUNC_PARAM_VARIADIC: "VARIADIC", query.FunctionParameterMode_FUNC_PARAM_TABLE: "TABLE",
}

// parameters reads the signature. A routine without RETURNS has its type from its output parameters.
// https://www.postgresql.org/docs/current/sql-createfunction.html
func (r *Routine) parameters(create *query.CreateFunctionStmt, tokens []token, sql string) {
	var out []string
	for _, node := range create.Parameters {
		n := node.GetFunctionParameter()
		p := Parameter{Mode: modes[n.Mode], Name: n.Name, Type: typeSQL(n.ArgType)}
		if p.Mode == "" {
			p.Mode = "IN"
		}
		written, defaults := parameterText(tokens, int(n.ArgType.Location), sql)
		if n.Defexpr != nil {
			p.Default, p.Meaning = defaults, meaning(n.Defexpr)
		}
		if !p.output() {
			r.Arguments = append(r.Arguments, written)
		}
		if p.Mode == "OUT" || p.Mode == "INOUT" {
			out = append(out, p.Type)
		}
		r.Signature.Parameters = append(r.Signature.Parameters, p)
	}
	r.Signature.Set = create.ReturnType.GetSetof()
	switch {
	case create.ReturnType != nil:
		r.Signature.Returns = typeSQL(create.ReturnType)
	case len(out) == 0:
		r.Signature.Returns = "void"
	case len(out) == 1 && !create.IsProcedure:
		r.Signature.Returns = out[0]
	default:
		r.Signature.Returns = "record"
	}
}

// parameterText is the type that begins at start, and the default behind it, up to the comma, bracket or comment that
// ends the parameter.
func parameterText(tokens []token, start int, sql string) (written, defaults string) {
	begin, end, depth, inDefault := start, start, 0, false
	for _, t := range tokens {
		if t.start < start {
			continue
		}
		depth += t.depth()
		stops := depth < 0 || depth == 0 && t.text == ","
		equals := !inDefault && depth == 0 && (t.text == "=" || t.is("default"))
		switch {
		case inDefault && (stops || t.comment()):
			return written, strings.TrimSpace(sql[begin:end])
		case written == "" && (stops || equals || t.comment()):
			written = strings.TrimSpace(sql[begin:end])
		}
		if stops {
			return written, ""
		}
		if equals {
			inDefault, begin = true, t.end
		}
		end = t.end
	}
	return written, ""
}

var readSignature = remember(parseRoutine)

// ParseSignature reads what pg_get_function_arguments and pg_get_function_result print of a routine; a
// procedure has no result. Nobody may change what it refers to. The error is an *Error.
func ParseSignature(arguments, result string) (Signature, error) {
	sql := "CREATE PROCEDURE x(" + arguments + ") AS ''"
	if result != "" {
		sql = "CREATE FUNCTION x(" + arguments + ") RETURNS " + result + " AS ''"
	}
	r, err := readSignature(sql)
	if err != nil {
		return Signature{}, err
	}
	return r.Signature, nil
}

// shortTypes are the names that people know types by.
var shortTypes = map[string]string{"int2": "smallint", "int4": "integer", "int8": "bigint", "float4": "real", "float8": "double precision", "bool": "boolean"}

// typeSQL spells a type without what a parameter does not keep of it: length, precision, dimensions.
func typeSQL(t *query.TypeName) string {
	var parts []string
	for _, name := range t.Names {
		parts = append(parts, identifier(name.GetString_().GetSval()))
	}
	if len(parts) == 2 && parts[0] == "pg_catalog" {
		parts = parts[1:]
		if plain := t.Names[1].GetString_().GetSval(); plain != "char" && plainName.MatchString(plain) {
			parts[0] = plain // such as interval, which quote_ident() would put in quotes
		}
	}
	if name, ok := shortTypes[parts[0]]; ok && len(parts) == 1 {
		parts[0] = name
	}
	if len(t.ArrayBounds) > 0 {
		return strings.Join(parts, ".") + "[]"
	}
	return strings.Join(parts, ".")
}

// meaning leaves out what pg_get_expr() adds or drops: the type of constants, brackets around operators, and
// schema pg_catalog.
func meaning(expr *query.Node) string {
	value, ok := literal(expr)
	switch {
	case !ok:
		expr = proto.CloneOf(expr)
		unqualify(expr.ProtoReflect())
		return "expression " + text(expr)
	case value.Kind == NullConstant:
		return "null"
	}
	return "constant " + value.Text
}

// unqualify takes pg_catalog away from the names in m.
func unqualify(m protoreflect.Message) {
	switch n := m.Interface().(type) {
	case *query.FuncCall:
		n.Funcname = withoutCatalog(n.Funcname)
	case *query.TypeName:
		n.Names = withoutCatalog(n.Names)
	case *query.A_Expr:
		n.Name = withoutCatalog(n.Name)
	}
	visit(m, unqualify)
}

// AddedType is the type of the first column that the ALTER TABLE statements of a text add, such that
// equal results are equal types. The error is an *Error.
func AddedType(sql string) (string, error) {
	added := func(n *query.Node) *query.TypeName {
		for _, node := range n.GetAlterTableStmt().GetCmds() {
			if c := node.GetAlterTableCmd(); c.GetSubtype() == query.AlterTableType_AT_AddColumn {
				return c.Def.GetColumnDef().TypeName
			}
		}
		return nil
	}
	name, err := first(sql, "ALTER TABLE ... ADD COLUMN", added)
	if err != nil {
		return "", err
	}
	return typeIdentity(name), nil
}

// TypeIdentity is the same for two spellings of one type, as far as the grammar knows: timestamptz and
// timestamp with time zone, int and integer. The error is an *Error.
func TypeIdentity(sql string) (string, error) {
	name, err := typeNode(sql)
	if err != nil {
		return "", err
	}
	return typeIdentity(name), nil
}

func typeIdentity(name *query.TypeName) string {
	name = proto.CloneOf(name)
	name.Names = withoutCatalog(name.Names)
	return text(name)
}
