package pgparse

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"pgretain/internal/lists"
)

// visit calls f for every message directly inside m, in the order of the field numbers. The
// parameter "but" names fields to leave out.
func visit(m protoreflect.Message, f func(protoreflect.Message), but ...protoreflect.Name) {
	// a Node has about 270 fields, and one is set
	if _, ok := m.Interface().(*query.Node); ok {
		if field := m.WhichOneof(m.Descriptor().Oneofs().Get(0)); field != nil {
			f(m.Get(field).Message())
		}
		return
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		switch {
		case field.Kind() != protoreflect.MessageKind || !m.Has(field) || slices.Contains(but, field.Name()):
		case field.IsList():
			list := m.Get(field).List()
			for i := range list.Len() {
				f(list.Get(i).Message())
			}
		default:
			f(m.Get(field).Message())
		}
	}
}

// visitAll calls f for m and every message inside it, at any depth.
func visitAll(m protoreflect.Message, f func(protoreflect.Message)) {
	f(m)
	visit(m, func(part protoreflect.Message) { visitAll(part, f) })
}

// walker collects the names in an expression or statement.
type walker struct {
	scope
	expr    Expr
	base    int     // length of the text before the user's text
	tokens  []Token // tokens of the user's text
	writing bool    // statements that change rows are allowed
	err     error
}

// scope is the position of the walker in nested queries.
type scope struct {
	depth   int        // depth of sub-selects
	inside  int        // index of the enclosing level, or -1
	with    []string   // names of WITH queries that are visible here; they are no tables
	beside  []TableRef // tables in the FROM clauses that surround the position
	derived bool       // see ColumnRef.Derived
}

// outermost is the scope of a query or statement. Its own columns have depth 0.
var outermost = scope{depth: -1, inside: -1}

// walk collects the names in parts of a text, sorted by offset.
func (w *walker) walk(sql string, parts ...proto.Message) error {
	w.expr.SQL = sql
	for _, part := range parts {
		w.message(part.ProtoReflect())
	}
	slices.SortStableFunc(w.expr.Columns, func(a, b ColumnRef) int { return cmp.Compare(a.Offset, b.Offset) })
	slices.SortStableFunc(w.expr.Tables, func(a, b TableRef) int { return cmp.Compare(a.Offset, b.Offset) })
	return w.err
}

func (w *walker) refuse(message string, location int32) {
	w.err = cmp.Or[error](w.err, &Error{Message: message, Offset: w.offset(location)})
}

func (w *walker) offset(location int32) int { return max(int(location)-w.base, 0) }

func (w *walker) message(m protoreflect.Message) {
	switch n := m.Interface().(type) {
	case *query.SelectStmt:
		w.selectStmt(n)
		return
	case changing:
		if w.writing {
			w.change(n)
			return
		}
		w.refuse("a statement that changes rows is not allowed here", 0)
	case *query.ColumnRef:
		w.column(n)
	case *query.RangeVar:
		if t := w.tableRef(n); !w.isWith(t) {
			w.expr.Tables = append(w.expr.Tables, t)
		}
	case *query.FuncCall:
		w.call(n)
	case *query.ParamRef:
		w.recordFirst(&w.expr.Parameter, "$", n.Location)
	case *query.SQLValueFunction:
		w.valueFunction(n)
	case *query.TypeCast:
		if w.cast(n) {
			w.message(n.TypeName.ProtoReflect())
			return
		}
	case *query.A_Const:
		w.clockWord(n)
	case *query.TypeName:
		w.qualified(n.Names)
	case *query.A_Expr:
		w.qualified(n.Name)
		w.compare(n)
		if op := lastName(n.Name); (op == "@@" || op == "@@@") && n.Lexpr != nil && !certainlyNotText(n.Lexpr) {
			w.recordFirst(&w.expr.Session, op, n.Location)
		}
	}
	visit(m, w.message)
}

func (w *walker) selectStmt(n *query.SelectStmt) {
	if n.IntoClause != nil {
		w.refuse("SELECT INTO is not allowed here", n.IntoClause.GetRel().GetLocation())
	}
	if len(n.LockingClause) > 0 {
		w.refuse("a locking clause (FOR UPDATE and the like) is not allowed here", 0)
	}
	outer := w.scope
	w.depth++
	w.expr.Subquery = w.expr.Subquery || w.depth > 0
	level := Level{Equal: equalities(n.WhereClause), Inside: w.inside,
		Derived: w.derived || len(n.SortClause)+len(n.GroupClause) > 0}
	for _, item := range n.FromClause {
		level.from(w, item.ProtoReflect())
	}
	w.inside, w.expr.Levels = len(w.expr.Levels), append(w.expr.Levels, level)
	w.ctes(n.GetWithClause())
	rest := []protoreflect.Name{"with_clause", "larg", "rarg"}
	// a single item of FROM cannot refer to other items
	if len(n.FromClause) == 1 && n.FromClause[0].GetJoinExpr() == nil {
		w.message(n.FromClause[0].ProtoReflect())
		rest = append(rest, "from_clause")
	}
	w.beside, w.derived = slices.Clone(outer.beside), level.Derived
	for _, t := range level.Tables {
		if w.isWith(t) {
			w.derived = true
		} else {
			w.beside = append(w.beside, t)
		}
	}
	visit(n.ProtoReflect(), w.message, rest...)
	w.depth--
	if n.Larg != nil && n.Rarg != nil { // both sides of a UNION have the same depth
		w.selectStmt(n.Larg)
		w.selectStmt(n.Rarg)
	}
	w.scope = outer
}

// isWith reports whether the name is a query in WITH instead of a table.
func (w *walker) isWith(t TableRef) bool { return t.Schema == "" && slices.Contains(w.with, t.Name) }

// ctes visits the queries of a WITH clause, and makes their names visible.
func (w *walker) ctes(clause *query.WithClause) {
	visible := slices.Clone(w.with)
	for _, node := range clause.GetCtes() {
		cte := node.GetCommonTableExpr()
		if clause.Recursive {
			w.with = append(slices.Clone(visible), cte.Ctename)
		}
		w.message(cte.ProtoReflect())
		visible = append(visible, cte.Ctename)
		w.with = visible
	}
}

func (w *walker) column(n *query.ColumnRef) { w.expr.Columns = append(w.expr.Columns, w.columnRef(n)) }

func (w *walker) columnRef(n *query.ColumnRef) ColumnRef {
	ref := ColumnRef{Fields: texts(n.Fields), Offset: w.offset(n.Location), Depth: max(w.depth, 0),
		Beside: w.beside, Derived: w.derived}
	ref.Length = w.length(ref.Offset, len(ref.Fields))
	if last := len(ref.Fields) - 1; ref.Fields[last] == "" {
		ref.Star, ref.Fields = true, ref.Fields[:last:last]
	}
	return ref
}

func (w *walker) tableRef(n *query.RangeVar) TableRef {
	parts := []string{n.GetCatalogname(), n.GetSchemaname(), n.GetRelname()}
	parts = slices.DeleteFunc(parts, func(name string) bool { return name == "" })
	at := w.offset(n.GetLocation())
	return TableRef{Schema: n.GetSchemaname(), Name: n.GetRelname(), Alias: n.GetAlias().GetAliasname(), Offset: at,
		Length: w.length(at, len(parts)), Only: !n.GetInh()}
}

// length returns the length of a name with several parts, in bytes.
func (w *walker) length(offset, parts int) int {
	first, found := slices.BinarySearchFunc(w.tokens, offset, func(t Token, at int) int { return t.Offset - at })
	last := first + 2*parts - 2 // there is a dot between two parts
	switch {
	case w.tokens == nil:
		return 0
	case !found || last >= len(w.tokens):
		w.err = cmp.Or[error](w.err, &Error{Message: "the names in the text cannot be told apart", Offset: offset})
		return 0
	}
	return w.tokens[last].end() - offset
}

func (w *walker) call(n *query.FuncCall) {
	name := lastName(n.Funcname)
	parts := append([]string{""}, texts(n.Funcname)...) // the schema is "" if the name has none
	call := Call{Schema: parts[len(parts)-2], Name: parts[len(parts)-1], Arguments: len(n.Args)}
	if n.AggWithinGroup {
		call.Arguments += len(n.AggOrder)
	}
	w.expr.Calls = append(w.expr.Calls, call)
	w.qualified(n.Funcname)
	if arguments, ok := sessionFunctions[name]; ok && arguments == call.Arguments ||
		name == "ts_headline" && call.Arguments == 3 && n.Args[0].GetAConst() == nil && n.Args[0].GetTypeCast() == nil {
		w.recordFirst(&w.expr.Session, name, n.Location)
	}
	if slices.Contains(timeFunctions, name) || name == "age" && len(n.Args) == 1 {
		w.recordFirst(&w.expr.Clock, name, n.Location)
	}
}

// qualified records the schema of a name.
func (w *walker) qualified(name []*query.Node) {
	if len(name) > 1 {
		w.expr.Schemas = append(w.expr.Schemas, name[len(name)-2].GetString_().GetSval())
	}
}

var (
	// timeFunctions read the current time. age(x) with one argument subtracts from the current
	// date.
	// https://www.postgresql.org/docs/current/functions-datetime.html
	timeFunctions = strings.Fields("now clock_timestamp statement_timestamp transaction_timestamp timeofday")
	timeWord      = regexp.MustCompile(`(?i)\b(now|today|tomorrow|yesterday)\b`)
	timeText      = regexp.MustCompile(`(?i)^([^a-z]|\b(now|today|tomorrow|yesterday|am|pm|utc|gmt|z)\b)*$`)
	timeTypes     = strings.Fields(`date time timetz timestamp timestamptz daterange tsrange tstzrange
		datemultirange tsmultirange tstzmultirange`)

	// sessionWords are SQL words for the current user, database and schema. They have this meaning
	// even if a column has such a name.
	// https://www.postgresql.org/docs/current/functions-info.html
	sessionWords = strings.Fields("user current_user current_role session_user current_catalog current_schema")

	// sessionFunctions use default_text_search_config if they have the given number of arguments.
	// https://www.postgresql.org/docs/current/functions-textsearch.html
	sessionFunctions = map[string]int{
		"to_tsvector": 1, "to_tsquery": 1, "plainto_tsquery": 1, "phraseto_tsquery": 1, "websearch_to_tsquery": 1,
		"json_to_tsvector": 2, "jsonb_to_tsvector": 2, "ts_headline": 2, "ts_match_tt": 2, "ts_match_tq": 2,
	}
	searchTypes = strings.Fields("tsvector tsquery jsonb")
)

// certainlyNotText reports whether the left side of @@ cannot be of type text. PostgreSQL parses a
// text with the setting default_text_search_config.
func certainlyNotText(n *query.Node) bool {
	if call := n.GetFuncCall(); call != nil {
		name := lastName(call.Funcname)
		return strings.HasSuffix(name, "to_tsvector") || strings.HasSuffix(name, "to_tsquery")
	}
	return slices.Contains(searchTypes, lastName(n.GetTypeCast().GetTypeName().GetNames()))
}

// valueFunction records a word for the current time, such as current_date, or a word that depends
// on the session, such as current_user.
func (w *walker) valueFunction(n *query.SQLValueFunction) {
	name := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(n.Op.String(), "SVFOP_"), "_N"))
	word := &w.expr.Clock
	if slices.Contains(sessionWords, name) {
		word = &w.expr.Session
	}
	w.recordFirst(word, name, n.Location)
}

// cast reports whether a constant is cast to a type that is not for times. For such a type a word
// like 'now' is plain text.
func (w *walker) cast(n *query.TypeCast) bool {
	arg, times := n.GetArg(), slices.Contains(timeTypes, lastName(n.GetTypeName().GetNames()))
	for times && arg.GetTypeCast() != nil {
		arg = arg.GetTypeCast().GetArg()
	}
	if times && arg.GetAConst() != nil {
		w.clockWord(arg.GetAConst())
	}
	return !times && arg.GetAConst() != nil
}

// clockWord records constants like 'now', which a cast to a type for times turns into the current
// time. In a function this time would be constant. clockWord does not find such a text if the text
// is compared with a column.
func (w *walker) clockWord(n *query.A_Const) {
	if value := n.GetSval().GetSval(); timeText.MatchString(value) && timeWord.MatchString(value) {
		w.recordFirst(&w.expr.Clock, "'"+strings.ToLower(timeWord.FindString(value))+"'", n.Location)
	}
}

// recordFirst stores a word with its position, unless a word that comes earlier in the SQL is
// already stored.
func (w *walker) recordFirst(word *Word, text string, location int32) {
	if at := w.offset(location); word.Text == "" || at < word.Offset {
		*word = Word{text, at}
	}
}

// texts returns the parts of a name. A star is "".
func texts(names []*query.Node) []string {
	return lists.Map(names, func(name *query.Node) string { return name.GetString_().GetSval() })
}

// lastName returns the last part of a qualified name in lower case. The function dotted returns the
// whole name.
func lastName(names []*query.Node) string {
	parts := append([]string{""}, texts(names)...)
	return strings.ToLower(parts[len(parts)-1])
}

func dotted(names []*query.Node) string { return strings.Join(texts(names), ".") }

// text returns a key for a node. Two nodes with the same content have equal keys, wherever they
// stand in the SQL.
func text(m proto.Message) string {
	m = proto.Clone(m)
	visitAll(m.ProtoReflect(), clearPositions)
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err) // encoding fails only for text that is not UTF-8, and such text was refused
	}
	return string(encoded)
}

func clearPositions(m protoreflect.Message) {
	for _, name := range []protoreflect.Name{"location", "stmt_location", "stmt_len"} {
		if field := m.Descriptor().Fields().ByName(name); field != nil {
			m.Clear(field)
		}
	}
}

// RolesAndExtensions lists the roles that a script names but does not create, and the extensions
// that it creates. Roles are owners, grantees and roles of row security policies. The error is an
// *Error.
func RolesAndExtensions(sql string) (roles, extensions []string, err error) {
	tree, wrong := parse("", sql, "")
	if wrong != nil {
		return nil, nil, wrong
	}
	var named, created []string
	visitAll(tree.ProtoReflect(), func(m protoreflect.Message) {
		switch n := m.Interface().(type) {
		case *query.RoleSpec:
			if n.Roletype == query.RoleSpecType_ROLESPEC_CSTRING {
				named = append(named, n.Rolename)
			}
		case *query.CreateRoleStmt:
			created = append(created, n.Role)
		case *query.CreateExtensionStmt:
			extensions = append(extensions, n.Extname)
		}
	})
	slices.Sort(named)
	roles = slices.DeleteFunc(slices.Compact(named), func(name string) bool { return slices.Contains(created, name) })
	return roles, extensions, nil
}
