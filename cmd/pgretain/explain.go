package main

import (
	"context"
	"fmt"
	"slices"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/policy"
)

// explainedThing is what a policy or a report does.
type explainedThing struct {
	Name  string         `json:"name"`
	Lines []explain.Line `json:"lines"`
}

// explain says what the policies and reports with the given names do, all where there is no name.
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
	if c.JSON {
		return c.document("file", p.file.Path, "install", install, "policies", policies, "reports", reports)
	}
	if len(names) == 0 {
		c.printf("%s\n%s", p.file.Path, explain.Text("  ", install))
	}
	for i, thing := range slices.Concat(policies, reports) {
		if i > 0 || len(names) == 0 {
			c.printf("\n")
		}
		c.printf("%s\n%s", thing.Name, explain.Text("  ", thing.Lines))
	}
	return nil
}

// lines are those of the pages of a policy or report, and of the jobs that run it.
func (p *project) lines(words map[generator.ID][]explain.Line, name string) []explain.Line {
	lines := slices.Concat(words[generator.ID{Kind: generator.KindPolicy, Name: name}], words[generator.ID{Kind: generator.KindEach, Name: name}])
	for _, job := range p.file.Jobs {
		if slices.ContainsFunc(job.Run, func(r policy.Name) bool { return r.Text == name }) {
			lines = append(lines, words[generator.ID{Kind: generator.KindJob, Name: job.Name}]...)
		}
	}
	if lines[len(lines)-1].Key != "runs" {
		lines = append(lines, explain.Line{Key: "runs", Text: "when it is called: no job names it"})
	}
	return lines
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
