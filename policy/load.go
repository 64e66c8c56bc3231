package policy

import (
	"errors"
	"io/fs"
	"os"

	"pgretain/internal/diag"
)

// Load reads and checks the policy file at path. The File is nil when the list has errors.
func Load(path string) (*File, diag.List) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, diag.List{{
			Position: diag.Position{File: path, Line: 1, Column: 1}, Severity: diag.Error, Code: codeUnreadable,
			Message: "could not read the policy file", Detail: reason(err), Hint: "Name another file with --policy.",
		}}
	}
	return Parse(path, source)
}

func reason(err error) string {
	if pathError := (*fs.PathError)(nil); errors.As(err, &pathError) {
		err = pathError.Err
	}
	return "The system says: " + err.Error() + "."
}

// Parse reads and checks a policy file that is already in memory; path is used in positions only.
// All errors are reported at once, sorted by position; the File is nil when there is one.
func Parse(path string, source []byte) (*File, diag.List) {
	r := newReader(path, source)
	var file *File
	if root, ok := r.document(); ok {
		file = r.file(root)
	}
	list := r.diags.Unique()
	if list.HasErrors() {
		return nil, list
	}
	return file, list
}

var fileShape = shape{
	keys: []string{"version", "install", "protect", "coverage", "defaults", "policies", "reports", "jobs", "suppress"},
}

func (r *reader) file(root field) *File {
	m, ok := r.mapping(root, "the file", fileShape)
	if !ok {
		return nil
	}
	r.version(m)
	f := &File{Path: r.path, Source: r.source}
	f.Install = r.install(m)
	f.Protect = r.tables(m.fields["protect"])
	f.Coverage = r.coverage(m, f.Install)
	bounds := r.bounds(m.fields["defaults"], "defaults", builtInBounds)
	f.Policies = r.policies(m, bounds)
	f.Reports = r.reports(m.fields["reports"])
	f.Jobs = r.jobs(m.fields["jobs"])
	f.Suppress = r.suppressions(f, m.fields["suppress"])
	r.protected(f)
	r.exempted(f)
	r.references(f)
	r.scopes(f)
	return f
}

func (r *reader) version(m mapping) {
	version, ok := m.require("version")
	if !ok {
		return
	}
	if n, ok := r.integer(version); ok && n != 1 {
		r.add(codeVersion, r.at(version.value), "version must be 1", "", "This program knows version 1 of the language only.")
	}
}
