package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/diag"
)

// outcome is how one run ended, from the run log. Kept and Cascaded are JSON maps to numbers.
type outcome struct {
	ID                 int64
	Policy, State      string
	Taken, Scanned     int64
	Kept               string
	Contended, Refused int64
	Cascaded           string
	Seconds            float64
	Code, Message      string
}

// runs reads what the watched backend has run. It works after Ctrl-C too.
func (w *watch) runs() ([]outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	rows, _ := w.conn.Query(ctx, w.statement("runs"), w.pid, w.last) // rows give the same error
	return pgx.CollectRows(rows, pgx.RowToStructByPos[outcome])
}

// couldNotStart are the codes of a policy that does not exist and of an as_of that nobody may ask
// for: the run never was one.
var couldNotStart = map[string]bool{"P0002": true, "22023": true}

// summarise prints one line per run, and why those that went wrong did.
func (c *console) summarise(runs []outcome) error {
	t := table{columns: []string{"POLICY", ">RUN", "ENDED", ">DELETED", ">SCANNED", ">KEPT", ">CONTENDED", ">REFUSED", ">CASCADED", ">TOOK"}}
	var list diag.List
	code := exitCode(0)
	for _, r := range runs {
		t.add(r.Policy, fmt.Sprint(r.ID), r.State, count(r.Taken), count(r.Scanned), total(r.Kept),
			count(r.Contended), count(r.Refused), total(r.Cascaded), seconds(r.Seconds))
		if d, bad := r.diagnostic(); bad {
			list.Add(d)
			code = max(code, r.exit())
		}
	}
	t.print(c.out)
	c.show(list, nil)
	if code != 0 {
		return code
	}
	return nil
}

func (r outcome) exit() exitCode {
	if r.State == "failed" && couldNotStart[r.Code] {
		return 2
	}
	return 1
}

// diagnostic says why a run did not do its work; "more" is no fault.
func (r outcome) diagnostic() (diag.Diagnostic, bool) {
	d := diag.Diagnostic{Severity: diag.Error, Code: r.Code, Message: fmt.Sprintf("policy %q %s", r.Policy, r.verb())}
	if r.Message != "" {
		d.Message += ": " + r.Message
	}
	switch r.State {
	case "done", "more":
		return d, false
	case "tripped":
		d.Hint = fmt.Sprintf("Nothing was deleted. Look with \"pgretain preview %s\"; accept(%d, 'why') lets one run pass.", r.Policy, r.ID)
	case "paused":
		d.Hint = fmt.Sprintf("SELECT * FROM health() in the schema of the runtime says what to do about policy %q.", r.Policy)
	}
	return d, true
}

func (r outcome) verb() string {
	switch r.State {
	case "paused", "busy":
		return "is " + r.State
	case "running":
		return "did not end"
	}
	return r.State
}

// total adds up a JSON map.
func total(text string) string {
	counts := map[string]int64{}
	if json.Unmarshal([]byte(text), &counts) != nil {
		return "?"
	}
	sum := int64(0)
	for _, n := range counts {
		sum += n
	}
	return count(sum)
}
