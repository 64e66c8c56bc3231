package policy_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pgretain/internal/diag"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

func valid(t testing.TB) []*fixture.Case {
	t.Helper()
	return fixture.Cases(t, "testdata/valid", 5, "policy.yaml", "model.json")
}

// TestValid compares the result of Parse for every case under testdata/valid with its model.json,
// positions included.
func TestValid(t *testing.T) {
	t.Parallel()
	for _, c := range valid(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			file := parse(t, c)
			file.Source = nil
			text, err := json.MarshalIndent(model{reflect.ValueOf(file)}, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			c.Compare(t, "model.json", string(text)+"\n")
		})
	}
}

func parse(t *testing.T, c *fixture.Case) *policy.File {
	t.Helper()
	file, list := policy.Parse("policy.yaml", []byte(c.Text("policy.yaml")))
	if len(list) > 0 || file == nil {
		t.Fatalf("got %+v", list)
	}
	return file
}

func botQueue(t *testing.T) *policy.File {
	t.Helper()
	return parse(t, fixture.Read(t, "testdata/valid/bot_queue.txtar"))
}

func at(line, column, width int) diag.Position {
	return diag.Position{File: "policy.yaml", Line: line, Column: column, Width: width}
}

// TestBotQueue compares one result of Parse with a literal, because "-update" rewrites model.json.
func TestBotQueue(t *testing.T) {
	t.Parallel()
	file := botQueue(t)
	table := policy.Table{Schema: "public", Name: "enqueued_messages"}
	bounds := policy.Policy{
		Table:    table,
		Index:    "pgretain",
		Then:     []policy.Step{{Delete: &policy.Delete{}}},
		Batch:    policy.Batch{Rows: 50000, Time: 50 * time.Millisecond, LockTimeout: 100 * time.Millisecond},
		Budget:   policy.Budget{Time: 10 * time.Minute},
		Breaker:  policy.Breaker{Rows: 5000000, Fraction: 0.5},
		Throttle: policy.Throttle{Busy: 1},
	}
	ttl, limit := bounds, bounds
	ttl.Name, ttl.Description = "enqueued_messages_ttl", "messages older than a week"
	ttl.Ensure = []policy.Column{{Name: "created_at", Type: "timestamp", Default: &policy.Expr{SQL: "now()"},
		By: "pgretain"}}
	week := policy.Window{Tiers: []policy.Tier{{Interval: policy.Interval{Text: "7 days", Days: 7}}}}
	age := &policy.Clock{Kind: "age", Column: "created_at", Window: week}
	ttl.Due = &policy.Due{Entries: []policy.Entry{{Clock: age}}}
	limit.Name = "enqueued_messages_cap"
	limit.Due = &policy.Due{Entries: []policy.Entry{{Beyond: &policy.Rank{
		First: 1000, Per: []policy.Expr{{SQL: "device_key"}}, OrderText: policy.Expr{SQL: "created_at DESC, id DESC"},
		Order: []policy.OrderItem{
			{Expr: policy.Expr{SQL: "created_at"}, Descending: true, NullsFirst: true},
			{Expr: policy.Expr{SQL: "id"}, Descending: true, NullsFirst: true},
		},
	}}}}
	wanted := &policy.File{
		Path: "policy.yaml", Policies: []*policy.Policy{&ttl, &limit},
		Install: policy.Install{
			Schema: "retention", SearchPath: []string{"public"}, TimeZone: "UTC", Scheduler: "pg_cron",
			Roles: policy.Roles{
				Owner:    "retention_owner",
				Worker:   "retention_worker",
				Runner:   "retention_runner",
				Operator: "retention_operator",
				Viewer:   "retention_viewer",
			},
		},
		Jobs: []*policy.Job{{
			Name: "enqueued_messages", Schedules: []policy.Schedule{{Text: "*/5 * * * *"}},
			Run: []policy.Name{{Text: "enqueued_messages_ttl"}, {Text: "enqueued_messages_cap"}},
		}},
	}
	if diff := cmp.Diff(wanted, file, cmpopts.IgnoreTypes(diag.Position{}, []byte{}),
		cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(policy.Expr{})); diff != "" {
		t.Error(diff)
	}
}

func TestPositions(t *testing.T) {
	t.Parallel()
	file := botQueue(t)
	ttl, limit := file.Policies[0], file.Policies[1]
	order := limit.Due.Entries[0].Beyond.Order
	got := []diag.Position{
		ttl.Position,
		ttl.Table.Position,
		ttl.Due.Entries[0].Clock.ColumnPos,
		ttl.Due.Entries[0].Clock.Window.Position,
		ttl.Ensure[0].Position,
		limit.Due.Entries[0].Beyond.Per[0].Position,
		order[0].Expr.Position,
		order[1].Expr.Position,
		ttl.Then[0].Position,
		file.Jobs[0].Schedules[0].Position,
		file.Jobs[0].Run[1].Position,
	}
	wanted := []diag.Position{
		at(5, 3, 21), at(7, 12, 24), at(9, 25, 10), at(9, 49, 6),
		at(8, 14, 10), at(14, 39, 10), at(14, 60, 10), at(14, 77, 2),
		at(10, 12, 6), at(19, 15, 13), at(20, 34, 21),
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
}

func TestExprAt(t *testing.T) {
	t.Parallel()
	exact := policy.Expr{SQL: "größe.b = 1", Position: at(3, 10, 11)}
	folded := policy.Expr{SQL: "a\nAND b", Position: at(3, 10, 1)}
	for _, c := range []struct {
		expr   policy.Expr
		offset int
		want   diag.Position
	}{
		{exact, 0, at(3, 10, 7)},
		{exact, len("größe.b "), at(3, 18, 1)},
		{exact, len("größe.b = "), at(3, 20, 1)},
		{exact, len(exact.SQL), at(3, 21, 1)},
		{exact, 99, exact.Position},
		{exact, -1, exact.Position},
		{folded, 2, folded.Position},
	} {
		if diff := cmp.Diff(c.want, c.expr.At(c.offset)); diff != "" {
			t.Errorf("%q at %d: %s", c.expr.SQL, c.offset, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range slices.Concat(valid(f), invalid(f)) {
		f.Add([]byte(c.Text("policy.yaml")))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		file, list := policy.Parse("policy.yaml", source)
		if (file == nil) != list.HasErrors() {
			t.Errorf("file %v with %d diagnostics", file != nil, len(list))
		}
		for _, d := range list {
			if d.Code.String() == "" || d.Message == "" || d.Position.Line < 1 || d.Position.Column < 1 {
				t.Errorf("incomplete diagnostic %+v", d)
			}
		}
	})
}
