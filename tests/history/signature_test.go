package history

import (
	"slices"
	"strings"
	"testing"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// made is an object of the runtime, or of policy p: what CREATE makes, its REVOKE and its GRANT.
func made(kind generator.Kind, name, policy, sql, role string) generator.Object {
	on := strings.ToUpper(string(kind)) + " " + name
	if kind == generator.KindView {
		on = name
	}
	right := map[generator.Kind]string{generator.KindView: "SELECT"}[kind]
	if right == "" {
		right = "EXECUTE"
	}
	return generator.Object{
		Kind: kind, Name: name, As: generator.AsOwner, Policy: policy,
		SQL:  sql + ";\nREVOKE ALL ON " + on + " FROM PUBLIC;\nGRANT " + right + " ON " + on + " TO " + role + ";\n",
		Drop: "DROP " + strings.ToUpper(string(kind)) + " IF EXISTS " + name + ";\n",
	}
}

const operator, viewer = "retention_operator", "retention_viewer"

// signatures are objects of three versions: each pair differs in what CREATE OR REPLACE refuses, or in
// what hangs on it.
func signatures(version int) []generator.Object {
	fn := func(name, policy, sql, role string) generator.Object {
		return made(generator.KindFunction, name, policy, "CREATE OR REPLACE FUNCTION "+sql, role)
	}
	view := func(name, sql string) generator.Object {
		return made(generator.KindView, name, "", "CREATE OR REPLACE VIEW "+name+" AS "+sql, viewer)
	}
	const body = " LANGUAGE sql AS 'SELECT 1'"
	reader := view("retention.t_reader", "SELECT f.n AS n FROM retention.t_base b, retention.t_of(b.n) f (n)")
	caller := fn("retention.u_caller(text)", "", "retention.u_caller(p_n text DEFAULT retention.t_of(1)::text) RETURNS integer"+body, viewer)
	switch version {
	case 0:
		return []generator.Object{
			fn("retention.t_of(integer)", "", "retention.t_of(p_n integer) RETURNS integer"+body, viewer),
			fn("retention.t_named(integer)", "p", "retention.t_named(p_a integer, OUT a integer, OUT b text) LANGUAGE sql AS 'SELECT 1, ''b'''", operator),
			fn("retention.t_default(integer)", "p", "retention.t_default(p_a integer DEFAULT 1) RETURNS integer"+body, operator),
			fn("retention.t_args(integer)", "p", "retention.t_args(p_a integer) RETURNS integer"+body, operator),
			made(generator.KindProcedure, "retention.t_kind(integer)", "", "CREATE OR REPLACE PROCEDURE retention.t_kind(p_a integer) LANGUAGE sql AS ''", operator),
			view("retention.t_base", "SELECT 1 AS n"), reader, caller,
		}
	case 1:
		return []generator.Object{
			fn("retention.t_of(integer)", "", "retention.t_of(p_n integer) RETURNS bigint"+body, viewer),
			fn("retention.t_named(integer)", "p", "retention.t_named(p_b integer, OUT a integer, OUT c bigint) LANGUAGE sql AS 'SELECT 1, 2::bigint'", viewer),
			fn("retention.t_default(integer)", "p", "retention.t_default(p_a integer) RETURNS integer"+body, operator),
			fn("retention.t_args(bigint)", "p", "retention.t_args(p_a bigint DEFAULT 0) RETURNS integer"+body, viewer),
			fn("retention.t_kind(integer)", "", "retention.t_kind(p_a integer) RETURNS integer"+body, operator),
			view("retention.t_base", "SELECT 1 AS n"), reader, caller,
		}
	}
	return []generator.Object{
		fn("retention.t_of(bigint)", "", "retention.t_of(p_n bigint) RETURNS text LANGUAGE sql AS 'SELECT ''x'''", viewer),
		fn("retention.t_named(integer)", "p", "retention.t_named(p_b integer) RETURNS TABLE (c bigint)"+" LANGUAGE sql AS 'SELECT 2::bigint'", viewer),
		fn("retention.t_args(bigint)", "p", "retention.t_args(p_a bigint DEFAULT 0) RETURNS SETOF integer"+body, operator),
		view("retention.t_base", "SELECT 2::bigint AS n, 'more' AS more"), reader, caller,
		view("retention.t_above", "SELECT r.n FROM retention.t_reader r"),
	}
}

// signed is a database with the runtime and the objects of version 0.
func signed(t *testing.T) (*kit.Installed, func(version int) []generator.Object) {
	t.Helper()
	in := kit.Prepare(t, "", "policies: {p: {table: t, where: true, then: [delete]}}")
	runtime, err := generator.Runtime(in.File.Install)
	if err != nil {
		t.Fatal(err)
	}
	wanted := func(version int) []generator.Object { return append(slices.Clone(runtime), signatures(version)...) }
	grow(t, in, wanted(0))
	in.Up(t)
	return in, wanted
}

// TestSignaturesUpAndDown goes through all pairs of versions, in both directions, and compares each
// stop with the first time that the version was installed, by objects that nobody ever replaced.
func TestSignaturesUpAndDown(t *testing.T) {
	t.Parallel()
	fresh := map[int][]string{}
	for version := range 3 {
		in, wanted := signed(t)
		if version > 0 { // from nothing: the objects of version 0 are gone in a step of their own
			grow(t, in, wanted(0)[:len(wanted(0))-len(signatures(0))])
			in.Up(t)
			grow(t, in, wanted(version))
			in.Up(t)
		}
		fresh[version] = kit.Catalog(t, in.DB, "retention")
	}
	in, wanted := signed(t)
	stops := []int{0, 1, 2, 0, 2, 1, 0}
	for i, version := range stops[1:] {
		grow(t, in, wanted(version))
		in.Up(t)
		wantCatalog(t, in, fresh[version], "after step "+string(rune('1'+i))+" up")
	}
	for i := len(stops) - 2; i >= 0; i-- {
		down(t, in)
		wantCatalog(t, in, fresh[stops[i]], "after going down")
	}
	in.Up(t)
	wantCatalog(t, in, fresh[stops[len(stops)-1]], "after everything again")
}

// TestSignatureChangeSparesWhatIsNotOurs: a view of the user's own that reads a function is neither
// dropped nor left broken. The step fails as a whole, and works when the view has gone.
func TestSignatureChangeSparesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	in, wanted := signed(t)
	in.DB.Exec(t, "CREATE VIEW public.mine AS SELECT retention.t_of(1) AS n")
	before := kit.Catalog(t, in.DB, "retention")
	grow(t, in, wanted(1))
	_, err := in.TryUp(t)
	list := install.Diagnostics(err)
	if err == nil || list[0].Code != "2BP01" || !strings.Contains(list[0].Detail, "view mine depends") {
		t.Fatalf("got %v %+v, want 2BP01 that names the view", err, list)
	}
	wantCatalog(t, in, before, "after a step that failed")
	in.DB.Exec(t, "DROP VIEW public.mine")
	in.Up(t)
	if n := pgtest.Value[string](t, in, "SELECT pg_typeof(retention.t_of(1))::text"); n != "bigint" {
		t.Errorf("t_of returns %s", n)
	}
}
