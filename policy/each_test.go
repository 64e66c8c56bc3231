package policy

import "testing"

// TestInstanceWithAnyName checks that a policy can have an instance for a schema of any name. The
// names contain characters that JSON, SQL or Go escape.
func TestInstanceWithAnyName(t *testing.T) {
	t.Parallel()
	p := &Policy{Name: "p", Table: Table{Schema: "each_tenant", Name: "message"},
		Where: &Expr{SQL: "EXISTS (SELECT FROM each_tenant.sign)"}}
	for _, name := range []string{"tenant_a", `q"q`, `"q"`, `back\slash`, `\`, "two\nlines", "<&>", "'", "ü\u2028",
		""} {
		made := p.In(Instance{Name: name, Names: [][2]string{{"each_tenant", name}}})
		if want := "EXISTS (SELECT FROM " + name + ".sign)"; made.Table.Schema != name || made.Where.SQL != want {
			t.Errorf("schema %q: got table %q and condition %q, want condition %q",
				name, made.Table, made.Where.SQL, want)
		}
		shard := p.In(Instance{Name: "7", Names: [][2]string{
			{"each_tenant.sign", name + ".sign_7"},
			{`"each_tenant"`, `"` + name + `"`},
		}})
		if want := "EXISTS (SELECT FROM " + name + ".sign_7)"; shard.Where.SQL != want {
			t.Errorf("shard in schema %q: got condition %q, want %q", name, shard.Where.SQL, want)
		}
	}
}
