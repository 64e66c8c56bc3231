// Package formats tests generated migrations with the tools that apply them: pgretain, goose, tern,
// psql and, simulated, Flyway and tools for plain SQL.
package formats

import (
	"testing"
	"testing/fstest"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/policy"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// project is one policy file with its migrations in one format.
type project struct {
	in       *kit.Installed
	snapshot *catalog.Snapshot
	format   generator.Format
	dir      fstest.MapFS
}

// generate writes the next step for yaml and returns the names of its files.
func (p *project) generate(t *testing.T, yaml string) []string {
	t.Helper()
	history, err := generator.ReadFormat(p.dir, p.format)
	if err != nil {
		t.Fatal(err)
	}
	file, _ := kit.Parse(yaml)
	objects, list := generator.Compile(file, p.snapshot, history)
	if list.HasErrors() {
		t.Fatalf("the policy does not compile: %v", list)
	}
	p.in.Migrations = p.dir
	files, err := generator.Next(history, objects, options(p.in.File.Install))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		p.dir[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
		names = append(names, f.Name)
	}
	again, err := generator.Read(p.dir)
	if err != nil {
		t.Fatalf("reading back: %v", err)
	}
	if more, err := generator.Next(again, objects, options(p.in.File.Install)); err != nil || len(more) > 0 {
		t.Fatalf("a second step for the same policy file has %d files, want none; %v", len(more), err)
	}
	return names
}

// generateRemoval writes the step that removes everything, and returns the names of its files.
func (p *project) generateRemoval(t *testing.T) (names []string) {
	t.Helper()
	history, err := generator.ReadFormat(p.dir, p.format)
	if err != nil {
		t.Fatal(err)
	}
	files, err := generator.NextRemoval(history, options(p.in.File.Install))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		p.dir[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
		names = append(names, f.Name)
	}
	if _, err := generator.Read(p.dir); err != nil {
		t.Fatalf("reading back: %v", err)
	}
	return names
}

func options(install policy.Install) generator.NextOptions {
	return generator.NextOptions{
		Roles:      install.Roles,
		SearchPath: install.Path(),
		Trust:      install.Trust,
		Schema:     install.Schema,
	}
}

// states returns the chain of states that the migrations of the directory record.
func (p *project) states(t *testing.T) []string {
	t.Helper()
	history, err := generator.Read(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, m := range history.Files() {
		states = append(states, m.After+" -> "+m.State)
	}
	return states
}
