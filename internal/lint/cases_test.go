package lint_test

import (
	"fmt"
	"slices"
	"testing"
)

// cases are policies, mostly on app.note, with the codes that lint must report for them. Cases
// without a code are correct policies that look like a mistake.
var cases = map[string]struct {
	body string   // content of "policies"
	want []string // expected codes
}{
	// Conditions.
	"texts that a collation may take for one": {
		`a: {table: app.note, where: "tag = 'Done' AND tag = 'done'", then: [delete]}`,
		nil,
	},
	"texts of a column that is no text": {
		`a: {table: app.note, where: "made_at = '2026-01-01' AND made_at = '2026-01-01 00:00'", ` +
			`then: [delete]}`,
		nil,
	},
	"days that differ": {
		`a: {table: app.note, where: "made_at = '2026-01-01' AND made_at = '2026-01-02'", ` +
			`then: [delete]}`,
		[]string{"L001"},
	},
	"a column that cannot be NULL": {`a: {table: app.note, where: "made_at IS NULL", then: [delete]}`,
		[]string{"L001"}},
	"a column that can": {`a: {table: app.note, where: "seen_at IS NULL", then: [delete]}`, nil},
	"false": {
		`a: {table: app.note, where: false, then: [delete]}`,
		[]string{"L001"},
	},
	"numbers that leave nothing": {
		`a: {table: app.note, where: "score > 5 AND score < 2", then: [delete]}`,
		[]string{"L001"},
	},
	"numbers too close to tell": {
		`a: {table: app.note, where: "score > 0.1 AND score < 0.10000000000000000001", then: [delete]}`,
		nil,
	},
	"a join that finds nothing": {
		`a: {table: app.note, join: {o: {table: app.owner, where: "o.id = t.owner_id"}}, ` +
			`where: "o.id IS NULL", then: [delete]}`,
		nil,
	},
	"one function asked twice": {
		`a: {table: app.note, where: "lower(tag) = 'x' AND NOT (lower(tag) = 'x')", then: [delete]}`,
		[]string{"L001"},
	},
	"a function that may answer in two ways": {
		`a: {table: app.note, where: "random() > 0.5 AND NOT (random() > 0.5)", then: [delete]}`,
		nil,
	},
	"a cast makes another value": {
		`a: {table: app.note, where: "score = 1 AND score::integer = 2", then: [delete]}`,
		nil,
	},
	"NULL in a where": {`a: {table: app.note, where: "tag = NULL", then: [delete]}`,
		[]string{"L001", "L008"}},
	"NULL in a join": {
		`a: {table: app.note, join: {o: {table: app.owner, ` +
			`where: "o.id = t.owner_id AND o.id <> NULL"}}, where: "o.id = 5", then: [delete]}`,
		[]string{"L008"},
	},
	"NULL in what a step sets": {
		`a: {table: app.note, where: "kind = 'x'", then: [update: {set: {kind: "'y'", ` +
			`starred: "tag = NULL"}}]}`,
		[]string{"L008"},
	},
	"NULL in a list": {`a: {table: app.note, where: "kind NOT IN ('a', NULL)", then: [delete]}`,
		[]string{"L001"}},
	"BETWEEN SYMMETRIC": {
		`a: {table: app.note, where: "score BETWEEN SYMMETRIC 5 AND 1", then: [delete]}`,
		nil,
	},
	"guards that spare all together": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, ` +
			`keep: {a: starred, b: "NOT starred"}, then: [delete]}`,
		[]string{"L002"},
	},
	"a guard for what where has taken out": {
		`a: {table: app.note, where: "kind = 'a'", due: {age: {column: made_at, older_than: 1 day}}, ` +
			`keep: {b: "kind = 'b'"}, then: [delete]}`,
		nil,
	},
	"a last else that nothing reaches": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: [{when: starred, ` +
			`then: 2 days}, {when: "NOT starred", then: 1 day}, {else: 3 days}]}}, then: [delete]}`,
		nil,
	},
	"a tier for what a guard spares": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: [{when: starred, ` +
			`then: 2 days}, {else: 1 day}]}}, keep: {s: starred}, then: [delete]}`,
		[]string{"L004"},
	},
	"the same tier twice, not understood": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: [{when: "left(tag, 1) = 'x'", ` +
			`then: 2 days}, {when: "left(tag, 1) = 'x'", then: 1 day}]}}, then: [delete]}`,
		[]string{"L004"},
	},

	// NULL.
	"a flag that may be NULL": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, ` +
			`keep: {f: "tag = 'x' OR starred"}, then: [delete]}`,
		[]string{"L010"},
	},
	"a guard of one nullable column": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, ` +
			`keep: {f: "tag = 'x'"}, then: [delete]}`,
		[]string{"L010"},
	},
	"a guard that speaks of NULL": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, ` +
			`keep: {f: "tag IS NOT NULL AND tag = 'x'"}, then: [delete]}`,
		nil,
	},
	"a guard by time": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, ` +
			`keep: {f: "seen_at > as_of - interval '1 day'"}, then: [delete]}`,
		[]string{"L010"},
	},
	"a guard by the clock itself": {
		`a: {table: app.note, due: {age: {column: seen_at, older_than: 1 day}}, ` +
			`keep: {f: "seen_at > as_of - interval '2 days'"}, then: [delete]}`,
		nil,
	},
	"a guard that may hide a NULL": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, ` +
			`keep: {f: "coalesce(tag, '') = 'x'"}, then: [delete]}`,
		nil,
	},
	"rows without a value are not asked for": {
		`a: {table: app.note, where: "state = 'done'", due: {age: {column: made_at, ` +
			`older_than: 1 day}}, keep: {f: "state <> 'done'"}, then: [delete]}`,
		nil,
	},
	"where asks for a value": {
		`a: {table: app.note, where: "state = 'done'", due: {age: {column: made_at, ` +
			`older_than: 1 day}}, then: [delete]}`,
		nil,
	},
	"where takes a value out": {
		`a: {table: app.note, where: "NOT (state = 'open')", due: {age: {column: made_at, ` +
			`older_than: 1 day}}, then: [delete]}`,
		[]string{"L011"},
	},
	"where takes out what cannot be NULL": {
		`a: {table: app.note, where: "kind <> 'open' AND NOT starred", ` +
			`due: {age: {column: made_at, older_than: 1 day}}, then: [delete]}`,
		nil,
	},
	"where takes a value out and asks for one": {
		`a: {table: app.note, where: "state <> 'open' AND state LIKE 'd%'", ` +
			`due: {age: {column: made_at, older_than: 1 day}}, then: [delete]}`,
		nil,
	},
	"another policy takes the NULLs": {"a: {table: app.note, where: \"state <> 'open'\", due: {age: " +
		"{column: made_at, older_than: 1 day}}, then: [delete]}\n  b: {table: app.note, where: \"state IS NULL\", " +
		"due: {age: {column: made_at, older_than: 9 days}}, then: [delete]}", nil},
	"NOT IN over a nullable column": {
		`a: {table: app.note, where: "id NOT IN (SELECT note_id FROM app.loan)", then: [delete]}`,
		[]string{"L012"},
	},
	"NOT IN that leaves NULL out": {
		`a: {table: app.note, ` +
			`where: "id NOT IN (SELECT l.note_id FROM app.loan l WHERE l.note_id IS NOT NULL)", ` +
			`then: [delete]}`,
		nil,
	},
	"NOT IN that leaves NULL out by a value": {
		`a: {table: app.note, where: "id NOT IN (SELECT note_id FROM app.loan WHERE note_id > 5)", ` +
			`then: [delete]}`,
		nil,
	},
	"NOT IN over a key": {
		`a: {table: app.note, where: "id NOT IN (SELECT id FROM app.loan)", then: [delete]}`,
		nil,
	},
	"IN as a where": {
		`a: {table: app.note, where: "id IN (SELECT note_id FROM app.loan)", then: [delete]}`,
		nil,
	},
	"NOT IN as a guard": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, ` +
			`keep: {f: "id NOT IN (SELECT note_id FROM app.loan)"}, then: [delete]}`,
		nil,
	},

	// Steps.
	"a step beside a delete of some": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, ` +
			`then: [{archive: {into: app.kept, create: true}}, {emit: {event: e, payload: {id: id}}}, ` +
			`{delete: {where: starred}}]}`,
		[]string{"L033", "L033"},
	},
	"a step of the same rows": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, ` +
			`then: [{emit: {event: e, where: starred, payload: {id: id}}}, {delete: {where: starred}}]}`,
		nil,
	},
	"a step beside a delete of all": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, ` +
			`then: [{emit: {event: e, payload: {id: id}}}, {update: {where: starred, ` +
			`set: {kind: "'x'"}}}, delete]}`,
		nil,
	},
	"NULL where it may be": {
		`a: {table: app.note, where: "tag = 'x'", then: [{update: {set: {tag: "NULL"}}}]}`,
		nil,
	},
	"NULL for what has to have a value": {
		`a: {table: app.note, where: "kind = 'x'", then: [{update: {set: {kind: " NULL "}}}]}`,
		[]string{"L035"},
	},

	"NULL with a cast": {
		`a: {table: app.note, where: "kind = 'x'", then: [{update: {set: {kind: "(NULL::text)"}}}]}`,
		[]string{"L035"},
	},
	"NULL of YAML": {
		`a: {table: app.note, where: "kind = 'x'", then: [{update: {set: {kind: NULL}}}]}`,
		[]string{"L035"},
	},
	"NULL for a new row": {
		`a: {table: app.note, where: "kind = 'x'", ` +
			`then: [{insert: {into: app.task, key: {id: id}, set: {state: "NULL"}}}, delete]}`,
		[]string{"L035"},
	},

	// Labels of enums, and lists of CHECK constraints.
	"labels that exist": {
		`a: {table: app.task, where: "state IN ('done', 'failed') AND state > 'open' AND t.state <> ALL (ARRAY['open'])",
			due: {age: {column: at, older_than: 1 day}}, keep: {k: "outcome = 'kept'"}, then: [delete]}`,
		[]string{"L010"},
	},
	"a label in each place": {
		`a: {table: app.task, where: "(state IN ('x1', 'done') OR 'x2' = t.state) AND state >= 'x3' AND ` +
			`state = ANY (ARRAY['x4', 'open'])", due: {age: {column: at, older_than: 1 day}}, ` +
			`keep: {k: "NOT (state BETWEEN 'x5' AND 'done')", l: "state IS NOT DISTINCT FROM 'x6'"}, then: [delete]}`,
		[]string{"L037", "L037", "L037", "L037", "L037", "L037"},
	},
	"a label in a sub-select": {
		`a: {table: app.note, where: "EXISTS (SELECT FROM app.task k WHERE k.id = t.id AND k.state = 'gone')", ` +
			`due: {age: {column: made_at, older_than: 1 day}}, ` +
			`keep: {k: "EXISTS (SELECT FROM app.task WHERE outcome = 'gone' AND task.id = owner_id)"}, then: [delete]}`,
		[]string{"L037", "L038"},
	},
	"another column of that name": {
		`a: {table: app.note, where: "state = 'gone' AND EXISTS (SELECT FROM app.task k WHERE t.state = 'gone' ` +
			`AND k.id = t.id)", due: {age: {column: made_at, older_than: 1 day}}, then: [delete]}`,
		nil,
	},
	"a name that may mean two columns": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, keep: {k: "EXISTS (SELECT FROM ` +
			`app.task k, (SELECT 'gone' AS state) x WHERE x.state = 'gone')"}, then: [delete]}`,
		nil,
	},
	"a label of a join and of related rows": {
		`a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, join: {k: {table: app.task, ` +
			`where: "k.id = t.id"}}, where: "k.state = 'gone'", then: [{delete: {table: app.task, as: c1, ` +
			`where: "c1.id = t.id AND c1.state = 'open'"}}, delete]}`,
		[]string{"L037"},
	},
	"a text as text": {
		`a: {table: app.task, where: "state::text = 'gone' AND outcome LIKE 'gone' AND outcome || '' = 'gone'",
			due: {age: {column: at, older_than: 1 day}}, then: [delete]}`,
		nil,
	},
	"texts that a step writes": {
		`a: {table: app.task, where: "state = 'open'", due: {age: {column: at, older_than: 1 day}}, ` +
			`then: [{update: {set: {state: "'gone'", outcome: "'gone'"}}}]}`,
		[]string{"L037", "L038"},
	},

	// Large objects.
	"a large object": {
		`a: {table: app.note, where: "kind = 'x'", then: [{sql: "SELECT pg_catalog.lo_unlink(b.id::oid), ` +
			`mine.lo_unlink(1) FROM batch b"}, delete]}`,
		[]string{"L039"},
	},
	"a large object that is read": {
		`a: {table: app.note, where: "length(lo_get(owner_id::oid)) > 1", then: [delete]}`,
		nil,
	},

	// Watermarks.
	"a mark of equal numbers": {
		`a: {table: app.note, ` +
			`due: {position: {column: owner_id, up_to: "SELECT max(note_id) FROM app.loan", ` +
			`watermark: {table: app.loan, column: note_id}}}, then: [delete]}`,
		[]string{"L034"},
	},
	"a mark up to what is there": {
		`a: {table: app.note, ` +
			`due: {position: {column: id, watermark: {table: app.loan, column: note_id}}}, then: [delete]}`,
		[]string{"L027"},
	},
	"a mark at the greatest": {
		`a: {table: app.note, ` +
			`due: {position: {column: id, up_to: "SELECT max(id) FROM app.note", ` +
			`watermark: {table: app.loan, column: note_id}}}, then: [delete]}`,
		[]string{"L027"},
	},
	"at the greatest, or none": {
		`a: {table: app.note, ` +
			`due: {position: {column: id, up_to: "SELECT coalesce(max(n.id), 0)::bigint AS top FROM app.note AS n", ` +
			`watermark: {table: app.loan, column: note_id}}}, then: [delete]}`,
		[]string{"L027"},
	},
	"behind by time": {
		`a: {table: app.note, ` +
			`due: {position: {column: id, up_to: "SELECT max(id) FROM app.note WHERE made_at < as_of - interval '1 hour'", ` +
			`watermark: {table: app.loan, column: note_id}}}, then: [delete]}`,
		nil,
	},
	"behind by numbers": {
		`a: {table: app.note, ` +
			`due: {position: {column: id, up_to: "SELECT max(id) - 1000 FROM app.note", ` +
			`watermark: {table: app.loan, column: note_id}}}, then: [delete]}`,
		nil,
	},
	"what a reader says": {
		`a: {table: app.note, ` +
			`due: {position: {column: id, up_to: "SELECT max(note_id) FROM app.loan", ` +
			`watermark: {table: app.loan, column: note_id}}}, then: [delete]}`,
		nil,
	},
	"the greatest without a mark": {
		`a: {table: app.note, due: {position: {column: id, up_to: "SELECT max(id) FROM app.note"}}, ` +
			`then: [delete]}`,
		nil,
	},

	// Windows.
	"an archive dated by itself": {"a: {table: app.served, due: {age: {column: at, older_than: 90 " +
		"days}}, then: [archive: {into: app.not_served, set: {at: as_of}}, delete]}\n  b: {table: app.not_served, " +
		"due: {age: {column: at, older_than: 30 days}}, then: [delete]}", nil},
	"an archive with another clock": {"a: {table: app.served, due: {age: {column: at, older_than: 90 " +
		"days}}, then: [archive: {into: app.loan, columns: {note_id: owner_id, used_at: at}}, delete]}\n  b: " +
		"{table: app.loan, due: {age: {column: used_at, older_than: 30 days}}, then: [delete]}", []string{"L015"}},
	"a month and thirty days": {"a: {table: app.served, due: {age: {column: at, older_than: 1 " +
		"month}}, then: [archive: {into: app.not_served}, delete]}\n  b: {table: app.not_served, due: {age: " +
		"{column: at, older_than: 30 days}}, then: [delete]}", nil},
	"a month and 27 days": {"a: {table: app.served, due: {age: {column: at, older_than: 1 " +
		"month}}, then: [archive: {into: app.not_served}, delete]}\n  b: {table: app.not_served, due: {age: " +
		"{column: at, older_than: 27 days}}, then: [delete]}", []string{"L015"}},
	"a longer window for some rows, by a guard": {"a: {table: app.note, due: {age: {column: made_at, older_than: 1 " +
		"day}}, keep: {s: starred}, then: [delete]}\n  b: {table: app.note, where: starred, due: {age: {column: " +
		"made_at, older_than: 9 days}}, then: [delete]}", nil},
	"a longer window by another clock": {"a: {table: app.note, due: {age: {column: made_at, older_than: 1 " +
		"day}}, then: [delete]}\n  b: {table: app.note, due: {age: {column: seen_at, older_than: 9 days}}, then: " +
		"[delete]}", nil},
	"a longer window for a part of the rows": {"a: {table: app.note, where: \"kind IN ('a', 'b')\", due: {age: " +
		"{column: made_at, older_than: 1 day}}, then: [delete]}\n  b: {table: app.note, where: \"kind = 'a'\", due: " +
		"{age: {column: made_at, older_than: 9 days}}, then: [delete]}", []string{"L017"}},
	"a longer window for NULL clocks": {"a: {table: app.note, due: {age: {column: seen_at, older_than: 1 day}}, " +
		"then: [delete]}\n  b: {table: app.note, due: {age: {column: seen_at, older_than: 9 days, nulls: due}}, " +
		"then: [delete]}", nil},
	"never is longer than all": {"a: {table: app.note, due: {age: {column: made_at, older_than: [{when: starred, " +
		"then: null}, {else: 1 day}]}}, then: [delete]}\n  b: {table: app.note, due: {age: {column: made_at, " +
		"older_than: 9 days}}, then: [delete]}", nil},
	"an update before a delete": {"a: {table: app.note, due: {age: {column: made_at, older_than: 9 days}}, then: " +
		"[delete]}\n  b: {table: app.note, where: \"NOT starred\", due: {age: {column: made_at, older_than: 1 " +
		"day}}, then: [update: {set: {starred: true}}]}", nil},
	"children by a foreign key": {"a: {table: app.blob, due: {age: {column: at, older_than: 1 day}}, then: [delete: " +
		"{cascades: [app.copy]}]}", nil},
	"local time in UTC": {`a: {table: app.clocks, due: {age: {column: at, older_than: 1 hour}}, then: [delete]}`,
		nil},
	"seconds in four bytes": {
		`a: {table: app.clocks, due: {age: {column: epoch_s_int, encoding: epoch_s, ` +
			`older_than: 1 hour}}, then: [delete]}`,
		nil,
	},
	"an epoch in seconds": {
		`a: {table: app.clocks, ` +
			`due: {age: {column: snow, encoding: {snowflake: {shift: 22, epoch: 1288834974}}, ` +
			`older_than: 1 hour}}, then: [delete]}`,
		[]string{"L031"},
	},
	"an epoch of 1970": {
		`a: {table: app.clocks, ` +
			`due: {age: {column: snow, encoding: {snowflake: {shift: 16, epoch: 0}}, ` +
			`older_than: 1 hour}}, then: [delete]}`,
		nil,
	},
}

// TestCases lints each of the cases.
func TestCases(t *testing.T) {
	t.Parallel()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := checked(t, fmt.Sprintf("version: 1\npolicies:\n  %s\n", c.body), tables(t))
			if !slices.Equal(codes(list), c.want) {
				t.Errorf("%s\ngot %+v\nwant %v", c.body, list, c.want)
			}
		})
	}
}

const three = `version: 1
policies:
  a: {table: app.note, due: {age: {column: made_at, older_than: 1 day}}, then: [delete]}
  b: {table: app.note, where: starred, then: [delete]}
  c: {table: app.loan, due: {age: {column: used_at, older_than: 1 day}}, then: [delete]}
jobs:
`

// TestJobs checks the codes that lint reports for jobs of the policies in three.
func TestJobs(t *testing.T) {
	t.Parallel()
	for jobs, want := range map[string][]string{
		// policy b has no "due", so it may be run by hand
		`  x: {schedule: "0 1 * * *", run: [a, c]}`:                                                               nil,
		`  x: {schedule: "0 1 * * *", run: [a, b]}`:                                                               {"L020"},
		"  x: {schedule: \"0 1 * * *\", run: [a, c]}\n  y: {schedule: \"0 1 * * *\", run: [b]}":                   nil,
		"  x: {schedule: \"0 1 * * *\", run: [a]}\n  y: {schedule: \"0 1 * * *\", run: [c]}":                      nil,
		"  x: {schedule: [\"0 1 * * *\", \"15 1 * * *\"], run: [a, c]}\n  y: {schedule: \"0 * * * *\", run: [b]}": nil,
		// both jobs run the same policy at the same time, so the later one waits
		"  x: {schedule: \"0 1 * * *\", run: [a, c]}\n  y: {schedule: \"0 1 * * *\", run: [c]}":   nil,
		"  x: {schedule: \"30 seconds\", run: [a, c]}\n  y: {schedule: \"30 seconds\", run: [b]}": nil,
		"  x: {schedule: \"0 1 * * 1\", run: [a, c]}\n  y: {schedule: \"0 1 * * 1-5\", run: [b]}": nil,
		`  x: {schedule: ["0 1 * * *", "0 1 31 11 *"], run: [a, c]}`:                              {"L021"},
		`  x: {schedule: ["0 1 * * *", "@daily"], run: [a, c]}`:                                   nil,
		`  x: {schedule: "0 1 29 2 *", run: [a, c]}`:                                              nil,
		`  x: {schedule: "@reboot", run: [a, c]}`:                                                 nil,
	} {
		t.Run(jobs, func(t *testing.T) {
			t.Parallel()
			if list := checked(t, three+jobs+"\n", tables(t)); !slices.Equal(codes(list), want) {
				t.Errorf("got %+v\nwant %v", list, want)
			}
		})
	}
}
