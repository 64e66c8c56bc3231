package policy

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
)

// TestIn checks that only tables of the word get the names of the instance. A text, a column, an
// alias, a longer name and a table of another schema that contain the word stay as they are.
func TestIn(t *testing.T) {
	t.Parallel()
	parsed := func(kind, sql string) *Expr { return &Expr{SQL: sql, parsed: piece{sql, kind}.parse().expr} }
	e := &Each{Name: "each_tenant"}
	p := &Policy{Name: "p", Table: Table{Schema: "each_tenant", Name: "message"},
		Joins: []Join{{Name: "each_tenant", Query: parsed(IsQuery, `SELECT 1 FROM only each_tenant . "pin" p`)}},
		Where: parsed(IsExpression, "EXISTS (SELECT FROM each_tenant.sign JOIN each_tenants.sign each_tenant ON "+
			`sign.id = "each_tenant".x WHERE note = 'each_tenant.sign' AND "each_tenant.sign" = $$each_tenant.$$)`),
		Then: []Step{{SQL: parsed(IsStatement, "DELETE FROM each_tenant.sign WHERE id IN (SELECT id FROM batch)")},
			{Delete: &Delete{Cascades: []Table{{Schema: "each_tenant", Name: "sign"},
				{Schema: "app", Name: "each_tenant"}}}}}}
	schema := func(name string) Instance { return Instance{Name: name, Schema: name} }
	for _, c := range []struct {
		instance         Instance
		table, sign, pin string
	}{
		{schema("tenant_a"), "tenant_a.message", "tenant_a.sign", "tenant_a.pin"},
		{schema(`q"q`), `q"q.message`, `q"q.sign`, `q"q.pin`},
		{schema("select"), "select.message", "select.sign", "select.pin"},
		{schema("each_tenant"), "each_tenant.message", "each_tenant.sign", "each_tenant.pin"},
		{schema("each_tenants"), "each_tenants.message", "each_tenants.sign", "each_tenants.pin"},
		{Instance{Name: "7", Schema: "app", Tables: map[string]string{"message": "message_7", "sign": `Sign"_8`}},
			"app.message_7", `app.Sign"_8`, "app.pin"},
	} {
		before := p.Where.SQL
		made := p.In(e, c.instance)
		got := map[string]any{"name": made.Name, "table": made.Table.String(), "join": made.Joins[0].Name,
			"where": tableNames(made.Where), "query": tableNames(made.Joins[0].Query),
			"statement": tableNames(made.Then[0].SQL), "writes": made.Writes(),
			"cascades": []string{made.Then[1].Delete.Cascades[0].String(), made.Then[1].Delete.Cascades[1].String()},
			"text":     made.Where.SQL}
		want := map[string]any{"name": "p@" + c.instance.Name, "table": c.table, "join": "each_tenant",
			"where": []string{c.sign, "each_tenants.sign"}, "query": []string{c.pin},
			"statement": []string{c.sign, ".batch"},
			"writes":    slices.Sorted(slices.Values([]string{"DELETE " + c.table, "DELETE " + c.sign})),
			"cascades":  []string{c.sign, "app.each_tenant"}, "text": before}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("instance %q (-want +got):\n%s", c.instance.Name, diff)
		}
	}
	if p.Table.Schema != "each_tenant" || p.Then[1].Delete.Cascades[0].Schema != "each_tenant" ||
		tableNames(p.Where)[0] != "each_tenant.sign" {
		t.Error("the policy itself was changed")
	}
}

// tableNames returns the tables that the SQL lists, as "schema.name".
func tableNames(e *Expr) (names []string) {
	for _, table := range (SQLFragment{Expr: *e}).Tables() {
		table.Position = diag.Position{}
		names = append(names, table.String())
	}
	return names
}
