package main

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

func (c *console) explainCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "explain [POLICY...]",
		Short: "Describe what policies do",
		Long: `Describes the named policies and reports, or all: which rows are due, what keeps them, what each step
does with them, which foreign keys act, which tables' holds keep rows, the limits, and when jobs run
the policy. Needs the catalog snapshot, but no database. The same description is at the beginning of
the policy's part of a migration, and in the view retention.descriptions. For all policies, shared
limits and the order of a job are described once.

Exit codes:
  0  printed
  1  the policy has errors, or no policy or report has the name
  2  a file could not be read`,
		Example: `  pgretain explain
  pgretain explain enqueued_messages_ttl
  pgretain explain --format json`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: proposePolicies,
		RunE:              c.inDatabases(&f, (*console).explain),
	}
	f.addPolicy(command)
	f.addCatalog(command)
	f.addMigrations(command)
	f.addFormat(command, "`text` or json", "text", "json")
	return command
}

// explainedThing is the description of a policy or a report.
type explainedThing struct {
	Name  string         `json:"name"`
	Lines []explain.Line `json:"lines"`
}

// explain describes the policies and reports with the given names, or all without a name.
func (c *console) explain(_ context.Context, names []string) error {
	p, err := c.compile()
	if err == nil {
		err = p.known(names)
	}
	if err != nil {
		return err
	}
	words := map[generator.ID][]explain.Line{}
	for _, o := range p.objects {
		words[o.ID()] = o.Words
	}
	install := words[generator.ID{Kind: generator.KindInstall, Name: "install"}]
	policies, reports := []explainedThing{}, []explainedThing{}
	for i, name := range p.file.Runnable() {
		list := &reports
		if i < len(p.file.Policies) {
			list = &policies
		}
		if len(names) == 0 || slices.Contains(names, name) {
			*list = append(*list, explainedThing{name, p.lines(words, name)})
		}
	}
	things := slices.Concat(policies, reports)
	if len(names) == 0 {
		common, own := shared(policies)
		things = append([]explainedThing{{p.file.Path, install}}, common...)
		things = append(things, p.jobsOnce(words, slices.Concat(own, reports))...)
	}
	shown := map[string]any{"Things": things, "Room": terminalWidth(c.out)}
	return c.result("things", shown, "file", p.file.Path, "install", install, "policies", policies, "reports", reports)
}

// lines returns the lines of a policy or report, and of the jobs that run it.
func (p *project) lines(words map[generator.ID][]explain.Line, name string) []explain.Line {
	lines := slices.Concat(words[generator.ID{Kind: generator.KindPolicy, Name: name}],
		words[generator.ID{Kind: generator.KindEach, Name: name}])
	for _, job := range p.file.Jobs {
		if slices.ContainsFunc(job.Run, func(r policy.Name) bool { return r.Text == name }) {
			lines = append(lines, words[generator.ID{Kind: generator.KindJob, Name: job.Name}]...)
		}
	}
	if lines[len(lines)-1].Key != "runs" {
		lines = append(lines, explain.Line{Key: "runs", Text: "only by hand: no job names it"})
	}
	return lines
}

// shared moves bounds that several policies have into a description of all policies. A bound that
// differs stays in the description of its policy. It returns nothing shared for keys that a policy
// lacks, because these would then seem to hold for it.
func shared(policies []explainedThing) (common, own []explainedThing) {
	var lines []explain.Line
	own = policies
	for _, key := range explain.BoundKeys {
		texts := map[string]int{}
		for _, p := range policies {
			for _, l := range p.Lines {
				if l.Key == key {
					texts[l.Text]++
				}
			}
		}
		total, most := 0, ""
		for _, text := range slices.Sorted(maps.Keys(texts)) {
			if total += texts[text]; texts[text] > texts[most] {
				most = text
			}
		}
		if total != len(policies) || texts[most] < 2 {
			continue
		}
		lines = append(lines, explain.Line{Key: key, Text: most})
		own = lists.Map(own, func(p explainedThing) explainedThing {
			return explainedThing{p.Name, slices.DeleteFunc(slices.Clone(p.Lines), func(l explain.Line) bool {
				return l.Key == key && l.Text == most
			})}
		})
	}
	if len(lines) > 0 {
		common = []explainedThing{{"all policies, except where a policy says otherwise", lines}}
	}
	return common, own
}

// jobsOnce appends a description of each job that runs several policies or reports. Their own
// descriptions then only name the job.
func (p *project) jobsOnce(words map[generator.ID][]explain.Line, things []explainedThing) []explainedThing {
	named, jobs := map[explain.Line]string{}, []explainedThing{}
	for _, job := range p.file.Jobs {
		lines := words[generator.ID{Kind: generator.KindJob, Name: job.Name}]
		if len(job.Run) > 1 && len(lines) > 0 {
			jobs = append(jobs, explainedThing{"job " + job.Name, lines})
			for _, l := range lines {
				named[l] = "in job " + job.Name
			}
		}
	}
	return append(lists.Map(things, func(t explainedThing) explainedThing {
		lines := lists.Map(t.Lines, func(l explain.Line) explain.Line {
			if job := named[l]; job != "" {
				l.Text = job
			}
			return l
		})
		return explainedThing{t.Name, slices.Compact(lines)}
	}), jobs...)
}

// known refuses names that are neither policies nor reports.
func (p *project) known(names []string) error {
	var list diag.List
	known := p.file.Runnable()
	for _, name := range names {
		if !slices.Contains(known, name) {
			list.Add(messages.NotInFile(p.file.Path, name, known))
		}
	}
	if len(list) > 0 {
		return &problems{list, p.sources}
	}
	return nil
}
