package history

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// part is one element of a policy file and the texts that it may have. The text "" omits the
// element.
type part struct {
	name     string
	variants []string
}

// policyParts lists the policies of the random files. No two parts use the same policy name, so a
// job can run any combination of policies.
var policyParts = []part{
	{"notes", []string{
		"",
		`{table: app.note, due: {age: {column: made_at, older_than: 7 days}}, then: [delete]}`,
		`{
			table: app.note,
			due: {age: {column: made_at, older_than: [{when: "starred", then: 1 year}, {else: 30 days}]}},
			then: [delete]
		}`,
		`{
			table: app.note,
			where: "state = 'done'",
			due: {age: {column: made_at, older_than: 7 days}},
			keep: {open: "EXISTS (SELECT FROM app.review v WHERE v.note_id = t.id AND v.open)"},
			then: [delete],
			batch: {rows: 100}
		}`,
		`{
			table: app.note,
			where: "state = 'gone'",
			due: {
				any: [
					{age: {column: made_at, older_than: 7 days}},
					{beyond: {first: 100, per: [owner_id], order: "made_at DESC"}}
				]
			},
			then: [delete]
		}`,
		`{
			table: app.note,
			due: {age: {column: made_at, older_than: 7 days}},
			then: [{archive: {into: app.old_note, create: true, set: {run_id: run.id}}}, delete]
		}`,
		`{
			table: app.note,
			due: {age: {column: made_at, older_than: 7 days}},
			then: [
				{archive: {into: app.attic, document: body, set: {kind: "'note'", transfer_id: run.id}}},
				delete
			]
		}`,
		`{
			table: app.note,
			where: "NOT starred",
			due: {expires: {column: expires_at}},
			then: [{update: {set: {starred: true}, undo: {starred: false}}}]
		}`,
		`{
			table: app.note,
			due: {age: {column: seen_at, older_than: {days: 30, at_least: 7, at_most: 90}, nulls: due}},
			scope: [owner_id],
			then: [{emit: {event: note_gone, payload: {id: t.id}}}, delete]
		}`,
		`{
			table: app.note,
			due: {age: {column: made_at, older_than: 7 days}},
			then: [
				{
					insert: {
						into: app.daily,
						key: {day: "t.made_at::date", owner_id: owner_id},
						add: {n: "count(*)"}
					}
				},
				delete
			]
		}`,
		`{
			table: app.clocks,
			due: {age: {column: epoch_ms_big, encoding: epoch_ms, older_than: 7 days}},
			then: [delete]
		}`,
	}},
	{"capped", []string{
		"",
		`{
			table: app.note,
			due: {beyond: {first: 1000, per: [owner_id], order: "made_at DESC, id DESC"}},
			then: [delete]
		}`,
		`{
			table: app.note,
			due: {beyond: {first: 10, per: [kind, owner_id], order: "score DESC NULLS LAST"}},
			keep: {newest: {first: 1, per: [owner_id], order: "id DESC"}},
			then: [delete]
		}`,
		`{table: app.served, due: {beyond: {first: 5, order: "at DESC"}}, then: [delete]}`,
	}},
	{"joined", []string{
		"",
		`{
			table: app.note,
			join: {
				o: {table: app.owner, where: "o.id = t.owner_id"},
				c: {query: "SELECT kind, kept FROM app.config WHERE days > 0", where: "c.kind = t.kind"}
			},
			where: "NOT o.enabled AND c.kept IS NOT TRUE",
			due: {age: {column: made_at, older_than: 1 year}},
			then: [delete]
		}`,
		`{
			table: app.note,
			join: {c: {query: "SELECT kind, days FROM app.config", where: "c.kind = t.kind"}},
			due: {age: {column: made_at, older_than: {days: c.days, else: 180}}},
			then: [delete]
		}`,
		`{
			table: app.note,
			join: {l: "SELECT max(x.used_at) AS used_at FROM app.loan x WHERE x.note_id = t.id"},
			due: {age: {column: made_at, older_than: 1 year}},
			keep: {lent: "l.used_at > as_of - interval '30 days'"},
			then: [{delete: {table: app.loan, as: l2, where: "l2.note_id = t.id"}}, delete]
		}`,
	}},
	{"claimed", []string{
		"",
		`{
			table: app.claimed,
			due: {expires: {column: expires_at}},
			then: [delete],
			claim: {
				key: hash,
				ttl: {minutes: 15, at_least: 1, at_most: 1 day},
				set: {note: "'at ' || as_of"},
				cursor: {table: app.marker, key: id, position: [at, hash]},
				grant: [app, '"Big App"']
			}
		}`,
		`{
			table: app.claimed,
			due: {expires: {column: expires_at}},
			then: [delete],
			claim: {
				key: hash,
				ttl: 1 hour,
				cursor: {table: app.marker, key: id, position: [hash]},
				grant: [app]
			}
		}`,
		`{
			table: app.loan,
			due: {expires: {column: used_at, inclusive: true, nulls: due}},
			then: [delete],
			claim: {key: id, ttl: 1 month}
		}`,
	}},
	{"tracked", []string{
		"",
		`{
			table: app.tracked,
			due: {age: {column: read_at, older_than: 30 days}},
			then: [delete],
			touch: {
				key: slug,
				set: {read_at: as_of, reads: "reads + 1"},
				revive: {table: app.catalogue, as: c, set: {slug: c.slug, name: c.name}, emit: revived},
				grant: [app]
			}
		}`,
		`{
			table: app.tracked,
			due: {age: {column: read_at, older_than: 30 days}},
			then: [delete],
			touch: {key: slug, set: {read_at: as_of}}
		}`,
		`{
			table: app.served,
			due: {age: {column: at, older_than: 30 days}},
			then: [delete],
			touch: {key: id, set: {at: as_of}, grant: ['"Big App"']}
		}`,
	}},
	{"lacking", []string{
		"",
		`{
			table: app.loan,
			ensure: {created_at: {type: timestamp, default: now()}},
			due: {age: {column: created_at, older_than: 7 days}},
			then: [delete]
		}`,
		`{
			table: app.loan,
			ensure: {
				created_at: {type: timestamp, default: "now() - interval '1 day'"},
				'"Seen At"': {type: "numeric(10, 2)"}
			},
			where: "note_id IS NULL",
			due: {age: {column: created_at, older_than: 8 days}},
			then: [delete]
		}`,
		`{
			table: app.loan,
			ensure: {created_at: {type: timestamp}},
			where: "note_id IS NULL",
			due: {age: {column: created_at, older_than: 8 days}},
			then: [delete]
		}`,
	}},
	{"hostile", []string{
		"",
		`{
			table: '"Se""lect"."order by. $function$ {{ .Tag }}"',
			due: {age: {column: '"a "".quoted"" column"', older_than: 7 days}},
			where: "\"größe'; DROP TABLE x; --\" = 'a''b\\'",
			then: [{delete: {cascades: ['"Se""lect".child']}}],
			description: "it's -- $function$ {{ . }} +goose Down"
		}`,
		`{
			table: '"Se""lect"."012345678901234567890123456789012345678901234567890123456789éa"',
			due: {age: {column: '"t"', older_than: 3 days}},
			then: [
				{
					delete: {
						cascades: [
							'"Se""lect"."012345678901234567890123456789012345678901234567890123456789éa"'
						]
					}
				}
			]
		}`,
	}},
	{"events", []string{
		"",
		`{table: app.event, due: {age: {column: at, older_than: 90 days}}, then: [delete]}`,
		`{table: app.event, where: "body = 'x'", due: {age: {column: at, older_than: 90 days}}, then: [delete]}`,
		`{partitions_of: app.event, due: {age: {older_than: 3 months}}, then: [detach]}`,
		`{partitions_of: app.event, due: {age: {older_than: 4 months}}, then: [drop]}`,
	}},
	// Both policies need the same index and the same archive table.
	{"twin_a", []string{
		"",
		`{
			table: app.item,
			where: "parent_id IS NULL",
			due: {age: {column: at, older_than: 5 days}},
			then: [
				{archive: {into: app.made, document: body, create: true, set: {at: as_of}}},
				{delete: {cascades: [app.item, app.tag_link, app.tag_vote, app.mention]}}
			]
		}`,
	}},
	{"twin_b", []string{
		"",
		`{
			table: app.item,
			where: "parent_id IS NULL",
			due: {age: {column: at, older_than: 9 days}},
			then: [
				{archive: {into: app.made, document: body, create: true, set: {at: as_of}}},
				{delete: {cascades: [app.item, app.tag_link, app.tag_vote, app.mention]}}
			]
		}`,
	}},
}

var reportParts = []part{
	{"both", []string{
		"",
		`{query: "SELECT kind, count(*) AS n FROM app.note WHERE made_at < as_of GROUP BY kind", alert: "n > 1000"}`,
		`{query: "SELECT count(*) AS n, max(at) AS newest FROM app.served", description: "two columns"}`,
	}},
}

var jobParts = []part{
	{"nightly", []string{"",
		`{schedule: "17 3 * * *", run: [%s]}`,
		`{schedule: ["17 3 * * *", "@hourly"], run: [%s], strict: true}`,
		`{schedule: "18 4 * * *", run: [%s], description: it's a job}`,
	}},
	{"often", []string{"", `{schedule: "*/5 * * * *", run: [%s]}`, `{schedule: ["*/5 * * * *"], run: [%s]}`}},
}

var fileParts = []part{
	{"protect", []string{"", "[app.rolled]", "[app.rolled, app.review]"}},
	{"defaults", []string{"", "{batch: {rows: 500}, budget: {time: 1m}}",
		"{breaker: {fraction: 0.9}, throttle: {busy: 30%}}", "{batch: {rows: 5000}}"}},
	{"time_zone", []string{"", "Europe/Berlin", "UTC"}},
	{"search_path", []string{"", "[app, public]"}},
}

// file is a policy file. It maps the name of each part to the index of its variant.
type file struct {
	variant  map[string]int
	renamed  map[string]bool // policies that have the suffix _renamed
	reversed bool            // jobs run the policies in reverse order
	cron     bool
	schema   string
	roles    string
}

// bothPolicy is a policy with the name of the report "both". In some histories this name changes
// from a report to a policy, or back.
const bothPolicy = `{
	table: app.blob,
	due: {age: {column: at, older_than: 2 days}},
	scope: [id],
	then: [{delete: {cascades: [app.copy, app.receipt]}}],
	budget: {rows: 10}
}`

func (f file) clone() file {
	c := f
	c.variant, c.renamed = map[string]int{}, map[string]bool{}
	for k, v := range f.variant {
		c.variant[k] = v
	}
	for k, v := range f.renamed {
		c.renamed[k] = v
	}
	return c
}

// randomFile returns a random file that has most parts.
func randomFile(random *rand.Rand) file {
	f := file{variant: map[string]int{}, renamed: map[string]bool{}}
	for _, parts := range [][]part{policyParts, reportParts, jobParts, fileParts} {
		for _, p := range parts {
			f.variant[p.name] = random.IntN(len(p.variants))
		}
	}
	f.variant["notes"] = max(f.variant["notes"], 1)
	return f
}

// edit returns a copy of the file with one to three changes, and a description of the changes.
func (f file) edit(random *rand.Rand) (file, string) {
	next := f.clone()
	var what []string
	for range 1 + random.IntN(3) {
		switch kind := random.IntN(10); {
		case kind == 0:
			next.reversed = !next.reversed
			what = append(what, "order of jobs")
		case kind == 1:
			p := policyParts[random.IntN(len(policyParts))]
			next.renamed[p.name] = !next.renamed[p.name]
			what = append(what, "name of "+p.name)
		case kind <= 3:
			parts := slices.Concat(reportParts, jobParts, fileParts)
			what = append(what, next.change(random, parts[random.IntN(len(parts))]))
		default:
			what = append(what, next.change(random, policyParts[random.IntN(len(policyParts))]))
		}
	}
	return next, strings.Join(what, ", ")
}

func (f file) change(random *rand.Rand, p part) string {
	n := len(p.variants)
	if p.name == "both" {
		n++ // one more variant: bothPolicy
	}
	f.variant[p.name] = (f.variant[p.name] + 1 + random.IntN(n-1)) % n
	return fmt.Sprintf("%s %d", p.name, f.variant[p.name])
}

// yaml returns the text of the file.
func (f file) yaml() string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\ninstall:\n  scheduler: %s\n", map[bool]string{true: "pg_cron", false: "none"}[f.cron])
	if f.schema != "" {
		fmt.Fprintf(&b, "  schema: %s\n", f.schema)
	}
	if f.roles != "" {
		fmt.Fprintf(&b, "  roles: %s\n", f.roles)
	}
	for _, p := range fileParts[2:] {
		f.line(&b, "  ", p)
	}
	for _, p := range fileParts[:2] {
		f.line(&b, "", p)
	}
	var run []string
	b.WriteString(`policies:
  always:
    table: app.transfer
    due: {age: {column: at, older_than: 1 day}}
    then: [{emit: {event: x}}, {sql: "DELETE FROM app.transfer x USING batch b WHERE x.id = b.id"}]
`)
	run = append(run, "always")
	for _, p := range policyParts {
		if text := f.text(p); text != "" {
			fmt.Fprintf(&b, "  %s: %s\n", f.name(p.name), text)
			run = append(run, f.name(p.name))
		}
	}
	reports := reportParts[0]
	if v := f.variant["both"]; v == len(reports.variants) {
		fmt.Fprintf(&b, "  both: %s\n", lineBreak.ReplaceAllString(bothPolicy, " "))
		run = append(run, "both")
	} else if v > 0 {
		fmt.Fprintf(&b, "reports:\n  both: %s\n", reports.variants[v])
		run = append(run, "both")
	}
	if f.reversed {
		slices.Reverse(run)
	}
	jobs := "jobs:\n"
	for _, p := range jobParts {
		if text := f.text(p); text != "" {
			fmt.Fprintf(&b, "%s  %s: %s\n", jobs, p.name, fmt.Sprintf(text, strings.Join(run, ", ")))
			jobs = ""
		}
	}
	return b.String()
}

var lineBreak = regexp.MustCompile(`\n\t*`)

// text returns the chosen variant of a part, on one line.
func (f file) text(p part) string {
	return lineBreak.ReplaceAllString(p.variants[f.variant[p.name]], " ")
}

func (f file) line(b *strings.Builder, indent string, p part) {
	if text := f.text(p); text != "" {
		fmt.Fprintf(b, "%s%s: %s\n", indent, p.name, text)
	}
}

func (f file) name(policy string) string {
	if f.renamed[policy] {
		return policy + "_renamed"
	}
	return policy
}
