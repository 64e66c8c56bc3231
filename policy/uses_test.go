package policy_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
	"pgretain/policy"
)

// every is a policy file that uses every construct, for rows and for partitions. Each expression
// contains a marker x1, x2 and so on. Each table outside of expressions is app.u1, app.u2 and so
// on. Each table within an expression is app.v1, app.v2 and so on.
const every = `
version: 1
policies:
  rows:
    table: app.u1
    scope: [chain]
    join:
      j: {table: app.u2, where: "x1"}
      k: {query: "SELECT x2 FROM app.v1", where: "x3"}
      l: "SELECT x4 FROM app.v2"
    where: "x5 IN (SELECT id FROM app.v3)"
    due:
      any:
        - age:
            expression: "x6"
            older_than: [{when: "x7", then: {days: "x8", else: 3, never: [0]}}, {else: 1 day}]
            up_to: "SELECT x9 FROM app.v4"
        - expires: {column: at, grace: {interval: "x10"}}
          beyond: {first: {count: "x11"}, per: ["x12"], order: "x13, x14 DESC", among: "x15"}
        - position: {expression: "x16", up_to: "SELECT x51"}
    keep:
      condition: "EXISTS (SELECT x18 FROM app.v5)"
      rank: {first: 3, per: ["x19"], order: "x20", among: "x21"}
    then:
      - update: {set: {a: "x22"}, undo: {a: "x23"}, where: "x24"}
      - update:
          table: app.u4
          as: a
          join: {m: {table: app.u5, where: "x25"}, n: "SELECT x26 FROM app.v6"}
          where: "x27"
          set: {a: "x28"}
      - insert:
          into: app.u6
          key: {a: "x29"}
          add: {b: "x30"}
          max: {c: "x31"}
          min: {d: "x32"}
          set: {e: "x33"}
          where: "x34"
      - insert: {into: app.u7, as: h, per: {a: "x35"}}
      - archive: {into: app.u8, set: {a: "x36"}, where: "x37"}
      - archive: {table: app.u9, as: r, where: "x38", into: app.u10, existing: replace}
      - emit: {event: gone, payload: {a: "x39"}, where: "x40"}
      - sql: "UPDATE app.u11 SET a = x41 FROM batch, app.v7"
      - drop_table: "x42"
      - delete: {table: app.u12, as: d, where: "x43", cascades: [app.u13]}
      - delete: {where: "x44", cascades: [app.u14]}
    touch: {key: id, set: {at: "x45"}, revive: {table: app.u15, as: z, set: {id: "z.x46"}}}
  worked_off:
    table: app.u19
    due: {position: {column: seq, watermark: {table: app.u3, column: seq, where: "x17"}}}
    then: [{emit: {event: seen}}]
  claims:
    table: app.u16
    due: {expires: {column: at}}
    then: [delete]
    claim:
      key: id
      ttl: {minutes: "(SELECT x47 FROM app.v8)"}
      set: {a: "(SELECT x48)"}
      cursor: {table: app.u17, key: id, position: [at]}
  partitions:
    partitions_of: app.u18
    due: {age: {older_than: 3 days}}
    keep: {open: "EXISTS (SELECT x49 FROM partition)"}
    then: [detach]
reports:
  numbers: {query: "SELECT x50 FROM app.v9"}
`

// TestEveryFragment checks that Fragments and Uses together list every expression and every table
// of a policy file.
func TestEveryFragment(t *testing.T) {
	t.Parallel()
	file, list := policy.Parse("policy.yaml", []byte(every))
	if len(list) > 0 {
		t.Fatalf("got %+v", list)
	}
	var expressions, tables []string
	marker, table := regexp.MustCompile(`\bx\d+\b`), regexp.MustCompile(`\bapp\.[uv]\d+\b`)
	collect := func(fragments []policy.SQLFragment) {
		for _, fragment := range fragments {
			expressions = append(expressions, marker.FindAllString(fragment.Expr.SQL, -1)...)
			for _, ref := range fragment.Expr.Parsed().Tables {
				tables = append(tables, ref.Schema+"."+ref.Name)
			}
		}
	}
	for _, p := range file.Policies {
		for _, use := range p.Uses() {
			tables = append(tables, use.Table.String())
		}
		collect(p.Fragments())
	}
	for _, report := range file.Reports {
		collect(report.Fragments())
	}
	own := func(name string) bool { return name == ".batch" || name == ".partition" }
	same(t, marker.FindAllString(every, -1), expressions)
	same(t, table.FindAllString(every, -1), slices.DeleteFunc(tables, own))
}

// TestSyntaxErrorInAnyExpression checks that Parse reports a syntax error in any expression. The
// file also has "each", whose check reads all expressions.
func TestSyntaxErrorInAnyExpression(t *testing.T) {
	t.Parallel()
	source := every + "each: {each_tenant: {schemas: \"tenant_*\"}}\n"
	for _, place := range regexp.MustCompile(`\bx\d+\b`).FindAllStringIndex(source, -1) {
		broken := source[:place[0]] + "(" + source[place[1]:]
		_, list := policy.Parse("policy.yaml", []byte(broken))
		if !slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Code.String() == "P011" }) {
			t.Errorf("syntax error at %s: got %v, want P011", source[place[0]:place[1]], list)
		}
	}
}

// same compares two lists as sets, because a table that a statement changes is listed twice.
func same(t *testing.T, wanted, got []string) {
	t.Helper()
	slices.Sort(wanted)
	slices.Sort(got)
	if diff := cmp.Diff(slices.Compact(wanted), slices.Compact(got)); diff != "" {
		t.Error(diff)
	}
}

// TestAccess checks which statements a policy executes on each table: i for INSERT, u for UPDATE, d
// for DELETE, r for rows that foreign keys reach.
func TestAccess(t *testing.T) {
	t.Parallel()
	file, list := policy.Parse("policy.yaml", []byte(every))
	if len(list) > 0 {
		t.Fatalf("got %+v", list)
	}
	got := map[string]string{}
	for _, p := range file.Policies {
		for _, use := range p.Uses() {
			how := ""
			for _, can := range []struct {
				yes  bool
				name string
			}{{use.Access.Insert, "i"}, {use.Access.Update, "u"}, {use.Access.Delete, "d"}, {use.Reached, "r"}} {
				if can.yes {
					how += can.name
				}
			}
			got[use.Table.Name] += how
		}
	}
	wanted := map[string]string{
		"u1": "iud", "u2": "", "u3": "u", "u4": "u", "u5": "", "u6": "iu", "u7": "i", "u8": "i", "u9": "", "u10": "iu",
		"u11": "u", "u12": "d", "u13": "r", "u14": "r", "u15": "", "u16": "iud", "u17": "iu", "u18": "", "u19": "",
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
}
