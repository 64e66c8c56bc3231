package verifier

import (
	"fmt"
	"slices"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// codesOfBrokenFunctions are the checks whose findings explain why the functions of a policy fail.
var codesOfBrokenFunctions = []diag.Code{messages.CodeMissing, messages.CodeDiffers, messages.CodeNoTable,
	messages.CodeUnexpected}

// factProbes returns a probe about the rows of each policy. It leaves out a policy whose rows could
// not be counted, because another finding reports that.
func (v *inspection) factProbes() []probe {
	changed := v.changedTables(false)
	return lists.Map(v.file.Policies, func(p *policy.Policy) probe {
		return probe{skip: v.uncounted[p.Name], policy: p,
			about: fmt.Sprintf("clocks and archives of policy %q", p.Name),
			codes: append(codesOfFunctions, messages.CodeNoClock, messages.CodeFarAhead, messages.CodeNoInstant,
				messages.CodeArchiveDiffers),
			known: codesOfBrokenFunctions,
			check: func(r reading) error { return v.checkFacts(r, p, changed) }}
	})
}

// rowFacts are facts about the rows of a policy's table, or about an archive that differs.
type rowFacts struct {
	N              int // 0 for the table, otherwise the position of the archive
	NoClock, Ahead int64
	First, Last    string
	ColumnDefault  *string
	Runs, Want     []int64
	Got            []string
}

// checkFacts checks the clock of a policy, if it has one, and its archives. It leaves out an
// archive if a policy takes or changes rows in it.
func (v *inspection) checkFacts(r reading, p *policy.Policy, changed []string) error {
	table := p.Table.String()
	about := []generator.Object{{Name: table, Policy: p.Name}}
	var column *string
	clocks := p.DueClocks()
	encoded := slices.ContainsFunc(clocks, func(k *policy.Clock) bool {
		return k.Kind != "position" && k.Encoding.Kind != ""
	})
	if len(clocks) > 0 {
		about[0].Position = clocks[0].Position
	}
	if len(clocks) == 1 && clocks[0].Kind != "position" && !p.Partitions {
		column = &clocks[0].Column
	}
	var archives []string
	for _, s := range p.Then {
		if s.Archive != nil && !slices.Contains(slices.Concat(changed, archives), s.Archive.Into.String()) {
			archives = append(archives, s.Archive.Into.String())
			about = append(about, generator.Object{Name: s.Archive.Into.String(), Policy: p.Name,
				Position: s.Archive.Into.Position})
		}
	}
	if encoded {
		faults, err := collectNamed[messages.ClockEvidence](r, "clock_evidence", p.Name, v.server.Now)
		if err != nil {
			return err
		}
		for _, e := range faults {
			v.about(about[0], messages.NoInstant(p.Name, table, e))
		}
	}
	if column == nil && len(archives) == 0 {
		return nil
	}
	facts, err := collectNamed[rowFacts](r, "row_facts", p.Name, v.server.Now, countLimit, table, column, archives)
	for _, f := range facts {
		if f.N > 0 {
			v.about(about[f.N], messages.ArchiveDiffers(p.Name, archives[f.N-1], f.Runs, f.Want, f.Got))
		}
		if f.NoClock > 0 {
			rows := messages.Counted{Rows: f.NoClock, Limit: countLimit}
			v.about(about[0], messages.NoClock(p.Name, table, *column, rows, f.ColumnDefault))
		}
		if f.Ahead > 0 {
			rows := messages.Counted{Rows: f.Ahead, Limit: countLimit}
			v.about(about[0], messages.FarAhead(p.Name, table, rows, f.First, f.Last))
		}
	}
	return err
}

// defaultProbes returns a probe about the DEFAULT partition of each policy on partitions that has
// one window.
func (v *inspection) defaultProbes() (list []probe) {
	for _, p := range v.file.Policies {
		clocks := p.DueClocks()
		if !p.Partitions || len(clocks) != 1 || clocks[0].Kind != "age" || len(clocks[0].Window.Tiers) != 1 {
			continue
		}
		window := clocks[0].Window.Tiers[0]
		if window.When != nil || window.Never || window.Data != nil {
			continue
		}
		list = append(list, probe{skip: v.uncounted[p.Name], policy: p,
			needs: "_default_rows(text, timestamptz, interval, bigint)",
			about: fmt.Sprintf("the DEFAULT partition of policy %q", p.Name),
			codes: []diag.Code{messages.CodeDefaultRows},
			known: codesOfBrokenFunctions,
			check: func(r reading) error { return v.checkDefault(r, p, window.Interval.Text) }})
	}
	return list
}

func (v *inspection) checkDefault(r reading, p *policy.Policy, window string) error {
	type partition struct {
		Name string
		Rows int64
	}
	old, err := collectNamed[partition](r, "default_rows", p.Name, v.server.Now, countLimit, window)
	for _, d := range old {
		v.add(messages.DefaultRows(p.Name, d.Name, messages.Counted{Rows: d.Rows, Limit: countLimit}))
	}
	return err
}
