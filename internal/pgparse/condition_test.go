package pgparse

import (
	"fmt"
	"strings"
	"testing"
)

// shape returns a short form of a condition. "?" stands for an Opaque condition, followed by its
// Strict columns.
func shape(c *Condition) string {
	var parts []string
	for _, part := range c.Parts {
		parts = append(parts, shape(part))
	}
	value := fmt.Sprintf("%d%s", c.Value.Kind, c.Value.Text)
	left := c.Left.Column
	if c.Left.Cast != "" {
		left += "::" + c.Left.Cast
	}
	switch name := map[Form]string{All: "and", Either: "or", Not: "not", Is: "is"}[c.Form]; {
	case c.Form == Is:
		return name + value + "(" + strings.Join(parts, " ") + ")"
	case name != "":
		return name + "(" + strings.Join(parts, " ") + ")"
	case c.Form == Opaque:
		return "?" + strings.Join(c.Strict, ",")
	}
	return left + map[Form]string{Fixed: value, Equal: "=" + value, Below: "<" + value, IsNull: " null"}[c.Form]
}

func TestCondition(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"a = 1 AND t.b <> 'x' OR NOT c": "or(and(a=11 not(b=2x)) not(c=3true))",
		"a = false OR a <> false":       "or(a=3false not(a=3false))",
		"1 < a":                         "not(or(a<11 a=11))",
		"a = -1.5":                      "a=1-1.5",
		"o.a = 'x'::app.kind":           "o.a=2x",
		"a::text = 'x'":                 "a::text=2x",
		"a IN (1, 2)":                   "or(a=11 a=12)",
		"a NOT IN ('x', NULL)":          "not(or(a=2x 0))",
		"a IN (1, b)":                   "?a",
		"a BETWEEN 1 AND 2":             "and(not(a<11) or(a<12 a=12))",
		"a NOT BETWEEN 1 AND b":         "or(a<11 ?a,b)",
		"a = NULL":                      "a0",
		"a IS NULL AND b IS NOT NULL":   "and(a null not(b null))",
		"a IS DISTINCT FROM 'x' OR a IS NOT DISTINCT FROM NULL": "or(not(is3true(a=2x)) a null)",
		"(a > 1) IS NOT TRUE":              "not(is3true(not(or(a<11 a=11))))",
		"a IS UNKNOWN":                     "is0(a=3true)",
		"a = b":                            "?a,b",
		"a + 1 > as_of - interval '1 day'": "?a",
		"lower(a) = 'x'":                   "?",
		"a || 'x' = b":                     "?b",
		"a = ANY (b)":                      "?",
		"EXISTS (SELECT FROM x WHERE x.id = t.id)": "?",
		"run.id = 1": "?",
		"true":       "3true",
	} {
		e, err := Expression(sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if got := shape(e.Condition()); got != want {
			t.Errorf("%s: got %s, want %s", sql, got, want)
		}
	}
}

func TestConditionOffset(t *testing.T) {
	t.Parallel()
	e, err := Expression("kind = 'é' AND state <> 'x'")
	if err != nil {
		t.Fatal(err)
	}
	if second := e.Condition().Parts[1].Offset; second != 22 {
		t.Errorf("got offset %d, want 22", second)
	}
}

func TestSubSelect(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"id IN (SELECT x.a FROM app.x WHERE x.a > 1 AND x.b IS NOT NULL)": "app.x a [a b]",
		"id IN (SELECT a FROM x)":                       ".x a []",
		"id IN (SELECT y.a FROM x y WHERE y.a IS NULL)": ".x a []",
		"id IN (SELECT a FROM x, y)":                    "",
		"id IN (SELECT max(a) FROM x)":                  "",
		"id IN (SELECT a FROM x UNION SELECT b FROM y)": "",
	} {
		e, err := Expression(sql)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if q := e.Condition().Query; q != nil {
			got = fmt.Sprintf("%s.%s %s %v", q.Table.Schema, q.Table.Name, q.Column, q.NotNull)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", sql, got, want)
		}
	}
}
