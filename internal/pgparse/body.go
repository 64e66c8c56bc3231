package pgparse

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TableUse is a privilege on a table that SQL in the body of a function needs. Schema is "" if the
// name is not qualified.
type TableUse struct{ Schema, Name, Privilege string }

// RoutineUses lists the tables that a function in PL/pgSQL or SQL uses. The first parameter is a
// CREATE FUNCTION. If the function is a trigger function, "event" is the event for which it fires
// ("DELETE", "UPDATE" or "INSERT"), otherwise "". RoutineUses leaves out branches that compare
// TG_OP with other events. It does not follow calls, and does not read SQL that EXECUTE gets as
// text. It returns nothing for a text that the parser does not understand.
func RoutineUses(definition, event string) []TableUse {
	b := body{event: event}
	tree, err := query.Parse(definition)
	if err != nil || len(tree.Stmts) != 1 {
		return nil
	}
	create := tree.Stmts[0].GetStmt().GetCreateFunctionStmt()
	switch language, source := languageOf(create); {
	case language == "plpgsql":
		var functions []any
		if text, err := query.ParsePlPgSqlToJSON(definition); err == nil &&
			json.Unmarshal([]byte(text), &functions) == nil {
			b.visit(functions)
		}
	case language == "sql" && create.SqlBody != nil:
		b.collect(create.SqlBody)
	case language == "sql":
		b.statements(source)
	}
	slices.SortFunc(b.uses, func(x, y TableUse) int {
		return cmp.Or(cmp.Compare(x.Schema, y.Schema), cmp.Compare(x.Name, y.Name),
			cmp.Compare(x.Privilege, y.Privilege))
	})
	return b.uses
}

// languageOf returns the language of a function, and its text after AS.
func languageOf(create *query.CreateFunctionStmt) (language, source string) {
	for _, option := range create.GetOptions() {
		switch def := option.GetDefElem(); def.GetDefname() {
		case "language":
			language = def.Arg.GetString_().GetSval()
		case "as":
			for _, item := range def.Arg.GetList().GetItems() {
				source += item.GetString_().GetSval()
			}
		}
	}
	return language, source
}

type body struct {
	event string
	uses  []TableUse
}

// visit collects the uses in a part of a function. The parser writes parts as JSON.
func (b *body) visit(part any) {
	switch p := part.(type) {
	case []any:
		for _, item := range p {
			b.visit(item)
		}
	case map[string]any:
		for kind, value := range p {
			fields, _ := value.(map[string]any)
			switch kind {
			case "PLpgSQL_expr":
				b.expression(fields)
			case "PLpgSQL_stmt_if":
				b.branches(fields)
			default:
				b.visit(value)
			}
		}
	}
}

// branches visits the parts of an IF that may run for the event.
func (b *body) branches(fields map[string]any) {
	type branch struct{ cond, body any }
	all := []branch{{fields["cond"], fields["then_body"]}}
	elsifs, _ := fields["elsif_list"].([]any)
	for _, item := range elsifs {
		wrapped, _ := item.(map[string]any)
		elsif, _ := wrapped["PLpgSQL_if_elsif"].(map[string]any)
		all = append(all, branch{elsif["cond"], elsif["stmts"]})
	}
	for _, one := range all {
		b.visit(one.cond)
		is := b.decide(one.cond)
		if is != no {
			b.visit(one.body)
		}
		if is == yes {
			return
		}
	}
	b.visit(fields["else_body"])
}

// verdict says whether a condition is true for the event.
type verdict int

const (
	unknown verdict = iota
	yes
	no
)

// decide evaluates a condition on TG_OP, for example TG_OP = 'DELETE' AND old.id > 5.
func (b *body) decide(cond any) verdict {
	wrapped, _ := cond.(map[string]any)
	fields, _ := wrapped["PLpgSQL_expr"].(map[string]any)
	sql, _ := fields["query"].(string)
	e, err := Expression(sql)
	if err != nil {
		return unknown
	}
	return b.evaluate(e.Condition())
}

func (b *body) evaluate(c *Condition) verdict {
	opposite := map[verdict]verdict{yes: no, no: yes}
	switch c.Form {
	case Equal:
		if !strings.EqualFold(c.Left.Column, "tg_op") || c.Value.Kind != TextConstant {
			return unknown
		}
		if c.Value.Text == b.event {
			return yes
		}
		return no
	case Not:
		return opposite[b.evaluate(c.Parts[0])]
	case All, Either: // AND is decided by one part that is false, OR by one that is true
		decisive, result := no, yes
		if c.Form == Either {
			decisive, result = yes, no
		}
		for _, part := range c.Parts {
			switch b.evaluate(part) {
			case decisive:
				return decisive
			case unknown:
				result = unknown
			}
		}
		return result
	}
	return unknown
}

// expression collects the uses in an expression or statement of a function. Its parseMode says what
// kind of text it is: 0 is a statement, 2 an expression, and 3 to 5 are assignments.
func (b *body) expression(fields map[string]any) {
	sql, _ := fields["query"].(string)
	mode, _ := fields["parseMode"].(float64)
	switch {
	case mode == 2:
		sql = "SELECT " + sql
	case mode > 2:
		_, value, ok := strings.Cut(sql, ":=")
		if !ok {
			_, value, _ = strings.Cut(sql, "=")
		}
		sql = "SELECT " + value
	}
	b.statements(sql)
}

// statements collects the uses in a text of statements.
func (b *body) statements(sql string) {
	if tree, err := query.Parse(sql); err == nil {
		b.collect(tree)
	}
}

// collect collects the uses in parsed SQL.
func (b *body) collect(tree proto.Message) {
	var with []string
	visitAll(tree.ProtoReflect(), func(m protoreflect.Message) {
		if cte, ok := m.Interface().(*query.CommonTableExpr); ok {
			with = append(with, cte.Ctename)
		}
	})
	written := map[*query.RangeVar]bool{}
	use := func(table *query.RangeVar, privilege string) {
		found := TableUse{table.GetSchemaname(), table.GetRelname(), privilege}
		if found.Name != "" && !(found.Schema == "" && slices.Contains(with, found.Name)) &&
			!slices.Contains(b.uses, found) {
			b.uses = append(b.uses, found)
		}
	}
	visitAll(tree.ProtoReflect(), func(m protoreflect.Message) {
		switch n := m.Interface().(type) {
		case changing:
			written[n.GetRelation()] = true
			w := new(walker).write(n)
			for _, needed := range []struct {
				privilege string
				is        bool
			}{{"INSERT", w.Insert}, {"UPDATE", w.Update}, {"DELETE", w.Delete}, {"SELECT", readsTarget(n)}} {
				if needed.is {
					use(n.GetRelation(), needed.privilege)
				}
			}
		case *query.TruncateStmt:
			for _, node := range n.Relations {
				written[node.GetRangeVar()] = true
				use(node.GetRangeVar(), "TRUNCATE")
			}
		case *query.RangeVar:
			if !written[n] {
				use(n, "SELECT")
			}
		}
	})
}

// readsTarget reports whether a statement reads columns of the table that it changes.
func readsTarget(n changing) bool {
	switch n := n.(type) {
	case *query.UpdateStmt:
		return n.WhereClause != nil
	case *query.DeleteStmt:
		return n.WhereClause != nil
	case *query.MergeStmt:
		return true
	}
	return false
}
