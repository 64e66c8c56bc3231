package behaviour

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/quote"
	"pgretain/policy"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// eachInstance is a policy whose SQL and names nearly have the word: in another schema, in texts,
// in names of columns and aliases. It has several lines wherever the generator lays lines out.
const eachInstance = `
each: {each_tenant: {schemas: "e*"}}
policies:
  messages:
    description: in each tenant, and in each_ten
    table: each_tenant.message
    where: "t.kind <> 'each_tenan' AND t.\"each ten.at\" IS NULL AND t.note IS DISTINCT FROM '$script$ \"each\"'"
    join: {owner: {table: each_tenant.owner, where: "owner.id = t.owner_id"}}
    due:
      age: {column: at, older_than: [{when: "owner.kind = 'each_tenan'", then: 7 days}, {else: 9 days}]}
    keep:
      pinned: "EXISTS (SELECT FROM \"each_tenant\" . pin each_ten JOIN eachtenant.pin p USING (message_id)
        WHERE each_ten.message_id = t.id)"
      newest: {first: 1, per: [owner_id], order: at DESC}
    then:
      - archive: {into: each_tenant.old, set: {run: run.id}}
      - update: {table: each_tenant.owner, as: o, where: "o.id = t.owner_id", set: {messages: "o.messages - 1"}}
      - delete: {cascades: [each_tenant.reaction]}
jobs: {hourly: {schedule: "@hourly", run: [messages]}}`

// eachTables returns SQL that creates the tables of eachInstance in a schema.
func eachTables(schema string) string {
	return strings.ReplaceAll(`
CREATE SCHEMA SCHEMA_;
CREATE TABLE SCHEMA_.owner (id bigint PRIMARY KEY, kind text, messages int NOT NULL DEFAULT 9);
CREATE TABLE SCHEMA_.message (id bigint PRIMARY KEY, owner_id bigint NOT NULL, at timestamptz NOT NULL,
	kind text NOT NULL, note text, "each ten.at" int);
CREATE INDEX ON SCHEMA_.message (at, id);
CREATE INDEX ON SCHEMA_.message (owner_id, at DESC, id DESC);
CREATE TABLE SCHEMA_.old (LIKE SCHEMA_.message, run bigint);
CREATE TABLE SCHEMA_.pin (message_id bigint PRIMARY KEY);
CREATE TABLE SCHEMA_.reaction (id bigint PRIMARY KEY, message_id bigint REFERENCES SCHEMA_.message ON DELETE CASCADE);
CREATE INDEX ON SCHEMA_.reaction (message_id);
INSERT INTO SCHEMA_.owner VALUES (1, 'each_tenan'), (2, 'b');
INSERT INTO SCHEMA_.message SELECT n, n % 2 + 1, '`+noon+`'::timestamptz - n * interval '1 day', 'b' 
	FROM generate_series(0, 19) n;
INSERT INTO SCHEMA_.pin VALUES (8);
INSERT INTO SCHEMA_.reaction SELECT n, n FROM generate_series(0, 19) n;
`, "SCHEMA_", schema)
}

// TestInstances compares the instance that the runtime creates with the instance that Go has for
// the schema, byte by byte: the functions and the row of the registry. The oracle is a policy file
// that names the schema itself, without "each". Its functions may break lines at other places,
// because that depends on the length of names. For a schema whose name is as long as the word they
// are the same bytes. A schema whose name needs quotes gets no instance.
func TestInstances(t *testing.T) {
	t.Parallel()
	names := []string{
		"each_tenant",               // as the word
		"each_tenanu",               // as long as the word
		"each_tenants",              // begins with the word
		"e_each_tenant_each_tenant", // contains the word twice
		"e_each",
		"each", "event", "execute", // key words that need no quotes
		"each_" + strings.Repeat("x", 26), // as long as the name of a policy allows
	}
	setup := "CREATE SCHEMA eachtenant; CREATE TABLE eachtenant.pin (message_id bigint PRIMARY KEY);"
	for _, name := range names {
		setup += eachTables(name)
	}
	in := kit.Install(t, setup, eachInstance)
	if _, err := in.Call("CALL retention.run_job('hourly', $1)", noon); err != nil {
		t.Fatal(err)
	}
	objects, list := in.Compile(t, eachInstance)
	if list.HasErrors() {
		t.Fatal(list)
	}
	each := objects[slices.IndexFunc(objects, func(o generator.Object) bool { return o.Kind == generator.KindEach })]
	for _, name := range names {
		made := each.Instances.In(policy.Instance{Name: name, Schema: name})
		bodies := pgtest.Column[string](t, in, `SELECT prosrc FROM pg_proc
			WHERE regexp_replace(proname, '_[a-z]+$', '') = concat('messages@', $1::text) ORDER BY proname`, name)
		if len(bodies) == 0 {
			t.Errorf("schema %s: no functions", name)
		}
		if diff := cmp.Diff(bodiesOf(made), bodies); diff != "" {
			t.Errorf("schema %s: functions differ (-Go +database):\n%s", name, diff)
		}
		row := pgtest.Value[string](t, in, `SELECT to_jsonb(p)::text FROM retention.policy p
			WHERE name = concat('messages@', $1::text)`, name)
		wantRow(t, name, made, row)

		// The names "messages@x" and "messages_x" have the same length.
		alone := strings.NewReplacer(`\"each_tenant\" .`, `\"`+name+`\" .`, "each_tenant.", name+".",
			"\n  messages:", "\n  messages_"+name+":", "[messages]", "[messages_"+name+"]").Replace(eachInstance)
		concrete, list := in.Compile(t, alone[strings.Index(alone, "\npolicies:"):])
		if list.HasErrors() {
			t.Fatal(list)
		}
		want := bodiesOf(slices.DeleteFunc(concrete, func(o generator.Object) bool { return o.Policy == "" }))
		for i := range bodies {
			bodies[i] = likeAlone(bodies[i], name)
			want[i] = likeAlone(want[i], name)
		}
		if diff := cmp.Diff(want, bodies); diff != "" {
			t.Errorf("schema %s: a policy on the schema itself differs (-alone +instance):\n%s", name, diff)
		}
	}
	before := in.Rows("SELECT oid FROM pg_proc ORDER BY oid")
	for _, name := range []string{"end", "eE", "e'", `e"`, "e$1", "e each_tenant", "e\u00e9"} {
		in.DB.Exec(t, "SET ROLE "+kit.Migrator+";"+eachTables(quote.Ident(name))+"RESET ROLE")
		_, err := in.Call("CALL retention.run('messages@' || $2, $1)", noon, name)
		if err == nil || !strings.Contains(err.Message, "cannot be an instance") {
			t.Errorf("schema %s: %v", name, err)
		}
	}
	if diff := cmp.Diff(before, in.Rows("SELECT oid FROM pg_proc ORDER BY oid")); diff != "" {
		t.Errorf("functions changed for schemas whose names need quotes:\n%s", diff)
	}
}

// bodiesOf returns the bodies of the functions among objects, sorted by the functions' names.
func bodiesOf(objects []generator.Object) (bodies []string) {
	functions := slices.DeleteFunc(slices.Clone(objects),
		func(o generator.Object) bool { return o.Kind != generator.KindFunction })
	slices.SortFunc(functions, func(a, b generator.Object) int { return strings.Compare(a.Name, b.Name) })
	for _, o := range functions {
		_, text, _ := strings.Cut(o.SQL, "AS $")
		tag, text, _ := strings.Cut(text, "$")
		body, _, _ := strings.Cut(text, "$"+tag+"$")
		bodies = append(bodies, body)
	}
	return bodies
}

// likeAlone returns the body of an instance's function with the name of the policy on the schema
// itself. If the schema's name is not as long as the word, the result has a blank in place of white
// space.
func likeAlone(body, schema string) string {
	body = regexp.MustCompile(`"messages@`+schema+`(\w*)"`).ReplaceAllString(body, "messages_"+schema+"$1")
	body = strings.ReplaceAll(body, "messages@"+schema, "messages_"+schema)
	body = strings.ReplaceAll(body, `"`+schema+`"`, schema) // Go quotes all key words
	if len(schema) != len("each_tenant") {
		body = strings.NewReplacer("( ", "(", " )", ")").Replace(strings.Join(strings.Fields(body), " "))
	}
	return body
}

// wantRow compares the columns of a registry row of the database with those of Go's object.
func wantRow(t *testing.T, name string, objects []generator.Object, row string) {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal([]byte(row), &got); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(objects, func(o generator.Object) bool { return o.Kind == generator.KindPolicy })
	encoded, err := json.Marshal(objects[i].Row)
	var want map[string]any
	if err = errors.Join(err, json.Unmarshal(encoded, &want)); err != nil {
		t.Fatal(err)
	}
	for column, value := range want {
		if column == "budget_time" { // PostgreSQL prints an interval in its own form
			continue
		}
		if diff := cmp.Diff(value, got[column]); diff != "" {
			t.Errorf("schema %s: column %s differs (-Go +database):\n%s", name, column, diff)
		}
	}
}
