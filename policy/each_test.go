package policy

import "testing"

// TestInPlaceOfAnyName puts a policy into schemas whose names have characters that JSON, SQL or Go
// escape.
func TestInPlaceOfAnyName(t *testing.T) {
	t.Parallel()
	p := &Policy{Name: "p", Table: Table{Schema: "each_tenant", Name: "message"},
		Where: &Expr{SQL: "EXISTS (SELECT FROM each_tenant.sign)"}}
	for _, name := range []string{"tenant_a", `q"q`, `"q"`, `back\slash`, `\`, "two\nlines", "<&>", "'", "ü\u2028",
		""} {
		made := p.In(Instance{Name: name, Names: [][2]string{{"each_tenant", name}}})
		if want := "EXISTS (SELECT FROM " + name + ".sign)"; made.Table.Schema != name || made.Where.SQL != want {
			t.Errorf("schema %q: table %q, condition %q", name, made.Table, made.Where.SQL)
		}
		shard := p.In(Instance{Name: "7", Names: [][2]string{{"each_tenant.sign", name + ".sign_7"},
			{`"each_tenant"`, `"` + name + `"`}}})
		if want := "EXISTS (SELECT FROM " + name + ".sign_7)"; shard.Where.SQL != want {
			t.Errorf("schema %q: condition of a shard %q", name, shard.Where.SQL)
		}
	}
}
