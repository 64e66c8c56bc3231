package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/catalog"
)

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "line 1: unexpected end of JSON input"},
		{"cut off", "{\"version\": 1,\n\"tables\": [", "line 2: unexpected end of JSON input"},
		{"no JSON", "version: 1\n", "line 1: invalid character 'v' looking for beginning of value"},
		{"no version", `{"tables": []}`, "the file has no version, so it may not be a catalog snapshot"},
		{"newer, with keys of its own", `{"version": 2, "new": 1}`,
			"the file has version 2, but this program reads version 1"},
		{"unknown key", `{"version": 1, "tabels": []}`, `json: unknown field "tabels"`},
		{"wrong type", "{\"version\": 1,\n\"tables\": [{\"schema\": 1}]}",
			"line 2: tables.schema cannot be a JSON number"},
		{"an array", `[]`, "line 1: the snapshot cannot be a JSON array"},
		{"text after the end", "{\"version\": 1}\n\n{}", "line 3: invalid character '{' after top-level value"},
		{"nameless table", `{"version": 1, "tables": [{"schema": "a"}]}`, "table 1 has no schema or no name"},
		{"null table", `{"version": 1, "tables": [null]}`, "table 1 has no schema or no name"},
		{"more than a type", `{"version": 1, "tables": [{"schema": "a", "name": "b", "columns": [
			{"name": "c", "type": "int); DROP TABLE x; --"}]}]}`,
			`column "c" of table a.b: "int); DROP TABLE x; --" is not the name of a type`},
		{"invisible character", "{\"version\": 1,\n\"tables\": [{\"schema\": \"a\u202e\", \"name\": \"b\"}]}",
			"line 2, column 25: invisible character"},
		{"table twice", `{"version": 1, "tables": [{"schema": "a", "name": "b"}, {"schema": "a", "name": "b"}]}`,
			"table a.b is listed twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := catalog.Read(c.file)
			if err == nil {
				t.Fatal("Read accepts the file")
			}
			if diff := cmp.Diff("reading catalog snapshot: "+c.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	s := &catalog.Snapshot{Version: 1, SearchPath: []string{"public"}, Tables: []*catalog.Table{{
		Schema: "public", Name: `é "<&>"`, Kind: "table", Columns: []catalog.Column{{Name: "id", Type: "integer",
			NotNull: true}},
	}}}
	want := `{
  "version": 1,
  "tables": [
    {
      "schema": "public",
      "name": "é \"<&>\"",
      "kind": "table",
      "columns": [
        {
          "name": "id",
          "type": "integer",
          "not_null": true
        }
      ]
    }
  ],
  "search_path": [
    "public"
  ]
}
`
	if diff := cmp.Diff(want, s.Text()); diff != "" {
		t.Error(diff)
	}
	back, err := catalog.Read(s.Text())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, back); diff != "" {
		t.Error(diff)
	}
}
