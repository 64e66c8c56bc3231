package pgparse

import (
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Definition is what CREATE OR REPLACE leaves as it was, and what ties an object to others.
type Definition struct {
	Name   string   // "schema.name"
	Uses   []string // "schema.name" of each function, relation and type that it cannot do without
	Grants []string // who gets what by the GRANT statements beside it

	shape    string   // of a routine: kind, parameters and result; of a view: all but its columns
	defaults []string // parameters with a default
	columns  []string // of a view
}

// Define reads the first CREATE FUNCTION, CREATE PROCEDURE or CREATE VIEW of a text and the GRANT
// statements in it. The error is an *Error.
func Define(sql string) (*Definition, error) {
	tree, err := parse("", sql, "")
	if err != nil {
		return nil, err
	}
	d := &Definition{Grants: grants(tree)}
	for _, raw := range tree.Stmts {
		switch {
		case raw.Stmt.GetCreateFunctionStmt() != nil:
			d.routine(raw.Stmt.GetCreateFunctionStmt())
			return d, nil
		case raw.Stmt.GetViewStmt() != nil:
			d.view(raw.Stmt.GetViewStmt())
			return d, nil
		}
	}
	return nil, &Error{Message: "there is no CREATE FUNCTION, CREATE PROCEDURE or CREATE VIEW"}
}

// ReplacedBy says whether CREATE OR REPLACE makes next of what d made. It does not where PostgreSQL
// refuses it (42P13, 42P16, 42809) or would leave a privilege behind.
// https://www.postgresql.org/docs/current/sql-createfunction.html
func (d *Definition) ReplacedBy(next *Definition) bool {
	return d.shape == next.shape && within(d.defaults, next.defaults) && within(d.Grants, next.Grants) &&
		len(d.columns) <= len(next.columns) && slices.Equal(d.columns, next.columns[:len(d.columns)])
}

func within(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// routine keeps the parameters without their defaults, and the result.
func (d *Definition) routine(create *query.CreateFunctionStmt) {
	d.Name = dotted(create.Funcname)
	kept := &query.CreateFunctionStmt{IsProcedure: create.IsProcedure, ReturnType: create.ReturnType, SqlBody: create.SqlBody}
	for _, node := range create.Parameters {
		p := proto.CloneOf(node.GetFunctionParameter())
		if p.Defexpr != nil {
			d.defaults = append(d.defaults, p.Name+" "+text(p.ArgType))
			d.uses(p.Defexpr.ProtoReflect())
			p.Defexpr = nil
		}
		kept.Parameters = append(kept.Parameters, &query.Node{Node: &query.Node_FunctionParameter{FunctionParameter: p}})
	}
	d.uses(kept.ProtoReflect())
	kept.SqlBody = nil
	d.shape = text(kept)
}

// view keeps the query, its columns apart: more of them may be added behind.
func (d *Definition) view(create *query.ViewStmt) {
	d.Name = create.View.Schemaname + "." + create.View.Relname
	d.uses(create.Query.ProtoReflect())
	kept := proto.CloneOf(create)
	if selected := kept.Query.GetSelectStmt(); selected != nil && selected.Op == query.SetOperation_SETOP_NONE {
		for _, node := range selected.TargetList {
			d.columns = append(d.columns, text(node))
		}
		selected.TargetList, selected.WhereClause, selected.SortClause = nil, nil, nil
	}
	d.shape = text(kept)
}

// uses notes every name in m that may stand for a function, a relation or a type.
func (d *Definition) uses(m protoreflect.Message) {
	switch n := m.Interface().(type) {
	case *query.FuncCall:
		d.use(n.Funcname)
	case *query.TypeName:
		d.use(n.Names)
	case *query.RangeVar:
		d.Uses = append(d.Uses, n.Schemaname+"."+n.Relname)
	}
	visit(m, d.uses)
}

func (d *Definition) use(names []*query.Node) {
	if used := dotted(names); !slices.Contains(d.Uses, used) {
		d.Uses = append(d.Uses, used)
	}
}

func dotted(names []*query.Node) string {
	var parts []string
	for _, name := range names {
		parts = append(parts, name.GetString_().GetSval())
	}
	return strings.Join(parts, ".")
}

// visit calls f for every message directly inside m.
func visit(m protoreflect.Message, f func(protoreflect.Message)) {
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.Message() == nil || field.IsMap():
		case field.IsList():
			for i := range value.List().Len() {
				f(value.List().Get(i).Message())
			}
		default:
			f(value.Message())
		}
		return true
	})
}

// text is the same for two parts of a tree that mean the same, wherever they were written.
func text(m proto.Message) string {
	m = proto.Clone(m)
	unplace(m.ProtoReflect())
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err) // only texts that are not UTF-8 cannot be encoded, and those were refused
	}
	return string(encoded)
}

// unplace forgets where in the text things stood.
func unplace(m protoreflect.Message) {
	for _, name := range []protoreflect.Name{"location", "stmt_location", "stmt_len"} {
		if field := m.Descriptor().Fields().ByName(name); field != nil {
			m.Clear(field)
		}
	}
	visit(m, unplace)
}

// grants are the GRANT statements of a text, a right and a role each.
func grants(tree *query.ParseResult) []string {
	var list []string
	for _, raw := range tree.Stmts {
		grant := raw.Stmt.GetGrantStmt()
		if grant == nil || !grant.IsGrant {
			continue
		}
		for _, role := range grant.Grantees {
			for _, right := range orAll(grant.Privileges) {
				one := &query.GrantStmt{Targtype: grant.Targtype, Objtype: grant.Objtype, Objects: grant.Objects,
					Grantees: []*query.Node{role}, GrantOption: grant.GrantOption}
				if right != nil {
					one.Privileges = []*query.Node{right}
				}
				list = append(list, text(one))
			}
		}
	}
	return list
}

// orAll stands for GRANT ALL, which names no privilege.
func orAll(privileges []*query.Node) []*query.Node {
	if len(privileges) == 0 {
		return []*query.Node{nil}
	}
	return privileges
}
