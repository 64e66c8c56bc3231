package generator

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	query "github.com/pganalyze/pg_query_go/v6"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// TestRoutinesMatchTheirSQL parses the SQL of each routine by PostgreSQL's parser, and compares the
// result with the routine's declaration. The verifier compares the declaration with the database.
func TestRoutinesMatchTheirSQL(t *testing.T) {
	t.Parallel()
	roles := policy.Roles{Owner: "a_owner", Worker: "a_worker", Runner: "a_runner", Operator: "a_operator",
		Viewer: "a_viewer"}
	objects := slices.Concat(Runtime(policy.Install{Schema: "keeper", Roles: roles}),
		Runtime(policy.Install{Schema: "keeper", Roles: policy.Roles{None: true}}))
	for _, c := range cases(t, "golden", 1) {
		for _, o := range compileCase(t, c) {
			if o.Instances != nil {
				objects = append(objects, o.Instances.Objects...)
			}
			if o.Policy != "" {
				objects = append(objects, o)
			}
		}
	}
	compared := 0
	for _, o := range objects {
		if o.Kind != KindFunction && o.Kind != KindProcedure {
			continue
		}
		compared++
		want, got := parsedRoutine(t, o), factsOf(*o.Routine)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-parsed +declared):\n%s", o.Name, diff)
		}
	}
	if compared < 600 {
		t.Errorf("compared %d routines, want at least 600", compared)
	}
}

// routineFacts are the parts of a routine that the parser and a declaration write alike.
type routineFacts struct {
	Kind, Language, Body string
	Set                  bool
	Parameters, Clauses  []string
	Settings             []string // names
	Defaults             int
}

func factsOf(r pgparse.Routine) routineFacts {
	f := routineFacts{Kind: r.Kind, Language: r.Language, Body: r.Body, Set: r.Set}
	for _, clause := range slices.Sorted(slices.Values(r.Clauses)) {
		if clause != "SECURITY INVOKER" { // it is the default
			f.Clauses = append(f.Clauses, clause)
		}
	}
	for _, p := range r.Parameters {
		f.Parameters = append(f.Parameters, p.Mode+" "+p.Name)
		if p.Default != "" {
			f.Defaults++
		}
	}
	for _, s := range r.Settings {
		name, _, _ := strings.Cut(s, "=")
		f.Settings = append(f.Settings, name)
	}
	return f
}

func parsedRoutine(t *testing.T, o Object) routineFacts {
	t.Helper()
	tree, err := query.Parse(o.SQL)
	if err != nil {
		t.Fatalf("%s: %v", o.Name, err)
	}
	f := routineFacts{Kind: "function"}
	for _, raw := range tree.Stmts {
		s := raw.Stmt.GetCreateFunctionStmt()
		if s == nil {
			continue
		}
		if s.IsProcedure {
			f.Kind = "procedure"
		}
		f.Set = s.ReturnType.GetSetof()
		for _, node := range s.Parameters {
			p := node.GetFunctionParameter()
			mode := strings.TrimPrefix(p.Mode.String(), "FUNC_PARAM_")
			if mode == "DEFAULT" {
				mode = "IN"
			}
			f.Parameters = append(f.Parameters, mode+" "+p.Name)
			if p.Defexpr != nil {
				f.Defaults++
			}
		}
		for _, node := range s.Options {
			switch e := node.GetDefElem(); e.Defname {
			case "language":
				f.Language = e.Arg.GetString_().GetSval()
			case "as":
				f.Body = e.Arg.GetList().Items[0].GetString_().GetSval()
			case "volatility":
				f.Clauses = append(f.Clauses, strings.ToUpper(e.Arg.GetString_().GetSval()))
			case "strict":
				f.Clauses = append(f.Clauses, "STRICT")
			case "security":
				if e.Arg.GetBoolean().GetBoolval() {
					f.Clauses = append(f.Clauses, "SECURITY DEFINER")
				}
			case "set":
				f.Settings = append(f.Settings, strings.ToLower(e.Arg.GetVariableSetStmt().Name))
			case "rows":
				f.Clauses = append(f.Clauses, fmt.Sprintf("ROWS %d", e.Arg.GetInteger().GetIval()))
			default:
				f.Clauses = append(f.Clauses, e.Defname)
			}
		}
	}
	slices.Sort(f.Clauses)
	return f
}

// TestIndexesMatchTheirSQL parses the statements of each index by the parser of PostgreSQL. The
// migration and the statements for a person must build the index of the definition.
func TestIndexesMatchTheirSQL(t *testing.T) {
	t.Parallel()
	builds := func(o Object, sql string) bool {
		statements, err := pgparse.Statements(sql)
		if err != nil {
			t.Errorf("%s: %v\n%s", o.Name, err, sql)
		}
		return slices.ContainsFunc(statements, func(sql string) bool {
			_, create, found := strings.Cut(sql, "CREATE INDEX")
			create, _, _ = strings.Cut(create, ";\nEND")
			create = strings.NewReplacer(" CONCURRENTLY", "", " IF NOT EXISTS", "", " ON ONLY ", " ON ").Replace(create)
			return found && pgparse.SameIndex("CREATE INDEX"+create, o.Index.Definition())
		})
	}
	compared := 0
	for _, c := range cases(t, "golden", 1) {
		for _, o := range compileCase(t, c) {
			if o.Kind != KindIndex {
				continue
			}
			compared++
			for _, sql := range []string{o.SQL, o.Index.Build(false), o.Index.Build(true)} {
				if !builds(o, sql) {
					t.Errorf("%s: got no statement like %s in\n%s", o.Name, o.Index.Definition(), sql)
				}
			}
			byHand := o.Index.Remove(true) + o.Index.Build(true) + o.Index.Content()
			if strings.Contains("\n"+byHand, "\n--") || strings.Contains(byHand, "\nDELETE") {
				t.Errorf("%s: statements for a person have comments, or delete the definition:\n%s", o.Name, byHand)
			}
		}
	}
	if compared < 20 {
		t.Errorf("compared %d indexes, want at least 20", compared)
	}
}

// TestIndexWithALineBreak checks that texts about an index contain no marks of fragments.
func TestIndexWithALineBreak(t *testing.T) {
	t.Parallel()
	on := tableIndex{Table: relation{"app", "item"}, Name: "item_index"}
	index := Index{tableIndex: on, Items: "id", Columns: []orderItem{{Expr: "id"}},
		Predicate: fragment("is not true", indented(sqlText("(a\nOR b)")))}
	for _, sql := range []string{index.Definition(), index.Content()} {
		_, err := pgparse.Statements(sql)
		if err != nil || strings.Contains(sql, indentFrom) || strings.Contains(sql, indentTo) {
			t.Errorf("%q: %v", sql, err)
		}
	}
}
