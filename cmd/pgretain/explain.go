package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/policy"
)

func explainCommand(c *console) *cobra.Command {
	var p paths
	var format string
	command := verb("explain", func(_ context.Context, names []string) error { return c.explain(p, names, format) })
	command.Args = cobra.ArbitraryArgs
	command.ValidArgsFunction = completeNames(&p.policy, (*policy.File).Runnable, true)
	p.add(command, "policy", "catalog", "migrations")
	addFormat(command, &format)
	return command
}

// explanation is what a file says, its policies and its reports.
type explanation struct {
	install           []explain.Line
	policies, reports []explainedThing
}

type explainedThing struct {
	Name  string         `json:"name"`
	Lines []explain.Line `json:"lines"`
}

// explain says what the policies and reports with the given names do, all where there is no name.
func (c *console) explain(p paths, names []string, format string) error {
	compiled, err := p.compile()
	if err == nil {
		err = compiled.known(names)
	}
	if err != nil {
		return err
	}
	e := compiled.explanation(names)
	if format == "json" {
		return c.document("file", compiled.file.Path, "install", e.install, "policies", e.policies, "reports", e.reports)
	}
	if len(names) == 0 {
		c.printf("%s\n%s", compiled.file.Path, explain.Text("  ", e.install))
	}
	for i, thing := range slices.Concat(e.policies, e.reports) {
		if i > 0 || len(names) == 0 {
			c.printf("\n")
		}
		c.printf("%s\n%s", thing.Name, explain.Text("  ", thing.Lines))
	}
	return nil
}

// explanation takes the words of what is generated.
func (p compiled) explanation(names []string) explanation {
	e := explanation{policies: []explainedThing{}, reports: []explainedThing{}}
	words := map[generator.ID][]explain.Line{}
	for _, o := range p.objects {
		words[o.ID()] = o.Words
	}
	e.install = words[generator.ID{Kind: generator.KindInstall, Name: "install"}]
	add := func(to *[]explainedThing, name string) {
		if len(names) > 0 && !slices.Contains(names, name) {
			return
		}
		lines := slices.Concat(words[generator.ID{Kind: generator.KindPolicy, Name: name}], words[generator.ID{Kind: generator.KindEach, Name: name}])
		for _, job := range p.file.Jobs {
			if slices.ContainsFunc(job.Run, func(r policy.Name) bool { return r.Text == name }) {
				lines = append(lines, words[generator.ID{Kind: generator.KindJob, Name: job.Name}]...)
			}
		}
		if lines[len(lines)-1].Key != "runs" {
			lines = append(lines, explain.Line{Key: "runs", Text: "when it is called: no job names it"})
		}
		*to = append(*to, explainedThing{name, lines})
	}
	for _, policy := range p.file.Policies {
		add(&e.policies, policy.Name)
	}
	for _, report := range p.file.Reports {
		add(&e.reports, report.Name)
	}
	return e
}

// known refuses names that are neither a policy's nor a report's.
func (p *project) known(names []string) error {
	var list diag.List
	known := p.file.Runnable()
	for _, name := range names {
		if !slices.Contains(known, name) {
			list.Add(diag.Diagnostic{
				Message: fmt.Sprintf("%s has no policy or report %s", p.file.Path, quoted(name)),
				Hint:    policy.DidYouMean(name, known),
			})
		}
	}
	if len(list) > 0 {
		return &problems{list, p.sources}
	}
	return nil
}
