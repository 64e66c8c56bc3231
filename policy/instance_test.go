package policy

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/pgparse"
)

// TestIn checks that only tables of the word get the names of the instance. A text, a column, an
// alias, a longer name and a table of another schema that contain the word stay as they are.
func TestIn(t *testing.T) {
	t.Parallel()
	parsed := func(kind, sql string) *Expr {
		e := &Expr{SQL: sql}
		must(e.parse(kind))
		return e
	}
	e := &Each{Name: "each_tenant"}
	p := &Policy{Name: "p", Table: Table{Schema: "each_tenant", Name: "message"},
		Joins: []Join{{Name: "each_tenant", Query: parsed(IsQuery, `SELECT 1 FROM only each_tenant . "pin" p`)}},
		Where: parsed(IsExpression, "EXISTS (SELECT FROM each_tenant.sign JOIN each_tenants.sign each_tenant ON "+
			`sign.id = "each_tenant".x WHERE note = 'each_tenant.sign' AND "each_tenant.sign" = $$each_tenant.$$)`),
		Then: []Step{{Delete: &Delete{Cascades: []Table{{Schema: "each_tenant", Name: "sign"},
			{Schema: "app", Name: "each_tenant"}}}}}}
	const rest = " JOIN each_tenants.sign each_tenant ON " +
		`sign.id = "each_tenant".x WHERE note = 'each_tenant.sign' AND "each_tenant.sign" = $$each_tenant.$$)`
	schema := func(name string) Instance { return Instance{Name: name, Schema: name} }
	for _, c := range []struct {
		instance   Instance
		table      Table
		where, pin string
	}{
		{schema("tenant_a"), Table{Schema: "tenant_a", Name: "message"}, "tenant_a.sign", "tenant_a.pin"},
		{schema("a$1"), Table{Schema: "a$1", Name: "message"}, `"a$1".sign`, `"a$1".pin`},
		{schema(`q"q`), Table{Schema: `q"q`, Name: "message"}, `"q""q".sign`, `"q""q".pin`},
		{schema("each_tenant"), p.Table, "each_tenant.sign", "each_tenant.pin"},
		{schema("each_tenant_x"), Table{Schema: "each_tenant_x", Name: "message"}, "each_tenant_x.sign",
			"each_tenant_x.pin"},
		{Instance{Name: "7", Schema: "app", Tables: map[string]string{"message": "message_7", "sign": `Sign"_8`}},
			Table{Schema: "app", Name: "message_7"}, `app."Sign""_8" sign`, "app.pin"},
	} {
		made := p.In(e, c.instance)
		if made.Name != "p@"+c.instance.Name || made.Table != c.table {
			t.Errorf("instance %q: name %q, table %q", c.instance.Name, made.Name, made.Table)
		}
		if diff := cmp.Diff("EXISTS (SELECT FROM "+c.where+rest, made.Where.SQL); diff != "" {
			t.Errorf("instance %q (-want +got):\n%s", c.instance.Name, diff)
		}
		if got := made.Joins[0]; got.Name != "each_tenant" || got.Query.SQL != "SELECT 1 FROM only "+c.pin+" p" {
			t.Errorf("instance %q: join %q, %s", c.instance.Name, got.Name, got.Query.SQL)
		}
		tables, err := pgparse.Expression(made.Where.SQL)
		sign := made.Then[0].Delete.Cascades[0]
		if err != nil || !slices.ContainsFunc(tables.Tables, func(ref pgparse.TableRef) bool {
			return ref.Schema == sign.Schema && ref.Name == sign.Name
		}) {
			t.Errorf("instance %q: the guard reads %v, %v", c.instance.Name, tables, err)
		}
		if got := made.Then[0].Delete.Cascades[1].String(); got != "app.each_tenant" {
			t.Errorf("instance %q: a table of another schema is %s", c.instance.Name, got)
		}
	}
	if p.Table.Schema != "each_tenant" || p.Then[0].Delete.Cascades[0].Schema != "each_tenant" {
		t.Error("the policy itself was changed")
	}
}
