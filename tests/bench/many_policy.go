package main

import (
	"fmt"
	"strings"
)

// tablesFor returns the number of tables: about 3 tables for 10 policies.
func tablesFor(policies int) int { return max(policies*3/10, 1) }

// policiesAtOnce is the number of policies that a job runs.
const policiesAtOnce = 10

// manyPolicies returns a policy file. Each table has three or four policies, each for one kind of
// rows. Their conditions are an age, an expiry, a guard on the row's own columns, or a guard that
// reads another table.
func manyPolicies(policies int) string {
	var b strings.Builder
	b.WriteString("version: 1\ninstall: {scheduler: none}\npolicies:\n")
	tables := tablesFor(policies)
	for i := range policies {
		n, kind := i%tables+1, i/tables
		fmt.Fprintf(&b, "  many_%04d:\n    table: many_%d\n    where: kind = %d\n", i, n, kind)
		b.WriteString(manyDue(n, kind, n%tables+1))
		b.WriteString(manyDelete(n, tables))
	}
	b.WriteString("jobs:\n")
	for first := 0; first < policies; first += policiesAtOnce {
		var names []string
		for i := first; i < min(first+policiesAtOnce, policies); i++ {
			names = append(names, fmt.Sprintf("many_%04d", i))
		}
		job := first / policiesAtOnce
		fmt.Fprintf(&b, "  many_%03d: {schedule: \"%d %d-23/4 * * *\", run: [%s]}\n", job, job%60, job/60%4,
			strings.Join(names, ", "))
	}
	return b.String()
}

// manyDue returns the due condition and the guard of a policy. A policy whose rows are referenced
// has a longer window than the policy of the referencing rows.
func manyDue(n, kind, other int) string {
	age := "    due: {age: {column: created_at, older_than: 30 days}}\n"
	switch {
	case n%3 != 1 && kind%4 == 1:
		return "    due: {expires: {column: expires_at}}\n"
	case n%3 != 1 && kind%4 == 0:
		return "    due: {age: {column: created_at, older_than: 7 days}}\n"
	case kind%4 == 2:
		return age + "    keep: {open: \"state = 'open'\"}\n"
	case kind%4 == 3:
		return age + fmt.Sprintf("    keep: {noted: \"EXISTS (SELECT FROM public.many_%d o WHERE o.id = t.parent_id "+
			"AND o.note IS NOT NULL)\"}\n", other)
	}
	return age
}

// manyDelete returns the delete step of a policy. In every third table it cascades to the next
// table.
func manyDelete(n, tables int) string {
	if n%3 != 1 || n == tables {
		return "    then: [delete]\n"
	}
	return fmt.Sprintf("    then: [{delete: {cascades: [many_%d]}}]\n", n+1)
}
