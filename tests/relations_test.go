package tests

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/inspect"
	"pgretain/internal/quote"
	verifysql "pgretain/sql/verify"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// updateRelations makes the test rewrite the recorded relations of the runtime. The queries of
// views depend on the server's version, so run the test on each.
var updateRelations = flag.Bool("update-relations", false, "rewrite sql/verify/relations.json")

const relationsFile = "../sql/verify/relations.json"

// TestRelationsAreRecorded compares the recorded relations, which the verifier uses, with those of
// a new install. A view must have the same query after a dump and restore.
func TestRelationsAreRecorded(t *testing.T) {
	t.Parallel()
	const yaml = "policies: {any_ttl: {table: public.any, due: {age: {column: at, older_than: 1 day}}, then: [delete]}}"
	in := kit.Install(t, `CREATE TABLE public."any" (id bigint PRIMARY KEY, at timestamptz NOT NULL)`, yaml)
	wanted, list := in.Compile(t, yaml)
	if list.HasErrors() {
		t.Fatal(list)
	}
	conn, schema := in.Conn(t), in.File.Install.Schema
	major := pgtest.Value[string](t, conn, "SELECT (current_setting('server_version_num')::int / 10000)::text")
	facts, queries := relationsOf(t, conn, schema, wanted)
	recorded := verifysql.Recorded()
	if *updateRelations {
		recorded.Facts = facts
		if recorded.Queries == nil {
			recorded.Queries = map[string][]verifysql.Fact{}
		}
		recorded.Queries[major] = queries
		writeRelations(t, recorded)
	}
	if diff := cmp.Diff(recorded.Facts, facts); diff != "" {
		t.Errorf("go test ./tests -run TestRelationsAreRecorded -update-relations (-recorded +live):\n%s", diff)
	}
	want, known := recorded.Queries[major]
	if diff := cmp.Diff(want, queries); known && diff != "" {
		t.Errorf("go test ./tests -run TestRelationsAreRecorded -update-relations (-recorded +live):\n%s", diff)
	}
	for _, q := range queries {
		name := quote.Qualified(schema, q.Relation)
		in.Exec(t, "CREATE OR REPLACE VIEW "+name+" AS "+
			pgtest.Value[string](t, conn, "SELECT pg_get_viewdef('"+name+"'::regclass)"))
	}
	_, restored := relationsOf(t, conn, schema, wanted)
	if diff := cmp.Diff(queries, restored); diff != "" {
		t.Errorf("views are not the same after a dump and restore (-before +after):\n%s", diff)
	}
}

// relationsOf reads the relations of a live runtime in the same way as the verifier.
func relationsOf(t *testing.T, conn *pgx.Conn, schema string, objects []generator.Object) (facts,
	queries []verifysql.Fact) {
	t.Helper()
	var names []string
	for _, o := range objects {
		if slices.Contains([]generator.Kind{generator.KindType, generator.KindTable, generator.KindView}, o.Kind) {
			names = append(names, strings.TrimPrefix(o.Name, schema+"."))
		}
	}
	var all []verifysql.Fact
	err := pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
		if err := inspect.Prepare(t.Context(), tx, nil); err != nil {
			return err
		}
		path := quote.Idents([]string{"pg_catalog", schema, "pg_temp"})
		if _, err := tx.Exec(t.Context(), verifysql.Query("set", schema), "search_path", path); err != nil {
			return err
		}
		var text string
		if err := tx.QueryRow(t.Context(), verifysql.Query("relation_facts", schema), schema,
			names).Scan(&text); err != nil {
			return err
		}
		return json.Unmarshal([]byte(text), &all)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.Kind == "query" {
			queries = append(queries, f)
		} else {
			facts = append(facts, f)
		}
	}
	return facts, queries
}

// writeRelations writes one fact per line.
func writeRelations(t *testing.T, r verifysql.Record) {
	t.Helper()
	var out bytes.Buffer
	lines := func(facts []verifysql.Fact) {
		for i, f := range facts {
			line, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			out.Write(line)
			out.WriteString(map[bool]string{true: "\n", false: ",\n"}[i == len(facts)-1])
		}
	}
	out.WriteString("{\"facts\": [\n")
	lines(r.Facts)
	out.WriteString("], \"queries\": {\n")
	var versions []string
	for version := range r.Queries {
		versions = append(versions, version)
	}
	slices.Sort(versions)
	for i, version := range versions {
		out.WriteString("\"" + version + "\": [\n")
		lines(r.Queries[version])
		out.WriteString(map[bool]string{true: "]\n", false: "],\n"}[i == len(versions)-1])
	}
	out.WriteString("}}\n")
	if err := os.WriteFile(relationsFile, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
