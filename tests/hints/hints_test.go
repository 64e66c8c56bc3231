// Package hints types the hints of pgretain as they stand. Each case sets a situation up and shows
// the message with the hint. After the hint was typed, the message is another one or gone, and
// nothing is less protected than before.
package hints

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestHints runs the cases of testdata. The parts of a case:
//   - schema.sql, retention.yaml: the installation; shared.txtar has those of most cases
//   - before.sql, before.yaml, before: SQL of a superuser, another policy file, commands
//   - show: the command or the SQL that shows the hint
//   - person.sql, person.yaml, person: what the hint leaves to a person
//   - again.yaml: the policy file after the hint, if the hint says to change it then
//   - looks: why the hint only shows something; looked.txt has the expected output
//   - fill: lines "placeholder => value" for what a person writes in the hint
//   - weaker: patterns of what the hint weakens on purpose; a line with # is the reason
//   - shown.txt, after.txt: what "show" writes before and after the hint
func TestHints(t *testing.T) {
	t.Parallel()
	shared := fixture.Read(t, "shared.txtar")
	for _, c := range fixture.Cases(t, "testdata", 1, "schema.sql", "retention.yaml", "before.sql", "before.yaml",
		"before", "show", "person.sql", "person.yaml", "person", "again.yaml", "fill", "weaker", "looks",
		"shown.txt", "looked.txt", "after.txt") {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			for variant, variants := 0, 1; variant < variants; variant++ {
				s := start(t, c, shared)
				installed := s.protection()
				s.change("before")
				raw := s.show()
				shown := s.steady(raw)
				c.Compare(t, "shown.txt", shown)
				s.change("person")
				before := s.protection()
				groups := groupsOf(raw)
				for _, g := range groups {
					variants = max(variants, len(g))
				}
				if len(groups) == 0 {
					t.Fatalf("nothing to type in:\n%s", shown)
				}
				looked := s.typed(groups, variant)
				s.change("again")
				s.compare(s.protection().Weaker(before, installed))
				switch after := s.steady(s.show()); {
				case c.Has("looks"):
					c.Compare(t, "looked.txt", looked)
				case after == shown:
					t.Errorf("the hint changes nothing:\n%s", shown)
				default:
					c.Compare(t, "after.txt", after)
				}
			}
		})
	}
}

// scene is the situation of a case: a database and a directory with the files of a project.
type scene struct {
	*kit.Installed
	t   *testing.T
	c   *fixture.Case
	dir string
}

// snapshots maps the schema and the policy file of an installation to its catalog snapshot.
var snapshots sync.Map

func start(t *testing.T, c, shared *fixture.Case) *scene {
	t.Helper()
	part := func(name string) string {
		if c.Has(name) {
			return c.Text(name)
		}
		return shared.Text(name)
	}
	schema, yaml := part("schema.sql"), part("retention.yaml")
	s := &scene{t: t, c: c, dir: t.TempDir()}
	s.Installed = kit.Install(t, schema, yaml)
	s.write("retention.yaml", yaml)
	if err := os.Mkdir(filepath.Join(s.dir, "migrations"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, file := range s.Migrations {
		s.write(filepath.Join("migrations", name), string(file.Data))
	}
	const snapshot = "retention.catalog.json"
	if text, known := snapshots.Load(schema + yaml); known {
		s.write(snapshot, text.(string))
	} else {
		s.must("pgretain snapshot")
		snapshots.Store(schema+yaml, fixture.ReadFile(t, s.dir, snapshot))
	}
	return s
}

func (s *scene) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// change executes the parts of a case that begin with a name: the SQL, then the commands.
func (s *scene) change(name string) {
	s.t.Helper()
	if s.c.Has(name + ".sql") {
		s.Installed.Exec(s.t, s.c.Text(name+".sql"))
	}
	if s.c.Has(name + ".yaml") {
		s.write("retention.yaml", s.c.Text(name+".yaml"))
	}
	for line := range strings.Lines(s.c.Text(name)) {
		line = strings.TrimSpace(line)
		if file, ok := strings.CutPrefix(line, "rm "); ok {
			if err := os.RemoveAll(filepath.Join(s.dir, file)); err != nil {
				s.t.Fatal(err)
			}
		} else if failing, ok := strings.CutPrefix(line, "! "); ok {
			if out, err := s.run(failing); err == nil {
				s.t.Fatalf("%s must fail:\n%s", failing, out)
			}
		} else {
			s.must(line)
		}
	}
}

var (
	volatileTime = regexp.MustCompile(`\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?` +
		`|\b\d\d:\d\d:\d\d\.\d+`)
	volatileOID  = regexp.MustCompile(`\b(system|pid:) \d+`)
	volatileTook = regexp.MustCompile(`\b\d+(\.\d+)?m?s\b`)
	volatileSize = regexp.MustCompile(`\d+ (objects|checks)`)
	// Other tests use the same server, and its roles.
	otherDatabases = regexp.MustCompile(`(?s)The roles also have privileges in .*?statements there\.\n\n?`)
)

// show returns what the part "show" of the case writes.
func (s *scene) show() string {
	s.t.Helper()
	out, _ := s.run(strings.TrimSpace(s.c.Text("show")))
	return out
}

// steady returns an output without values that differ by execution.
func (s *scene) steady(out string) string {
	out = volatileOID.ReplaceAllString(volatileTime.ReplaceAllString(out, "<time>"), "$1 <id>")
	out = volatileSize.ReplaceAllString(volatileTook.ReplaceAllString(out, "<time>"), "<n> $1")
	out = otherDatabases.ReplaceAllString(out, "")
	out = strings.NewReplacer(s.Name, "<database>", s.dir, "<directory>").Replace(out)
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	return out
}

// run runs a command of pgretain, or SQL in psql, and returns its output. Commands that read or
// write migrations run as the migrating role, everything else as a superuser.
func (s *scene) run(line string) (string, error) {
	s.t.Helper()
	user := ""
	if regexp.MustCompile(`^pgretain (migrate|generate|snapshot|uninstall)\b`).MatchString(line) {
		user = kit.Migrator
	}
	var cmd *exec.Cmd
	if command, ok := strings.CutPrefix(line, "pgretain "); ok {
		cmd = exec.CommandContext(s.t.Context(), "sh", "-c", kit.Program(s.t)+" "+command)
	} else {
		cmd = exec.CommandContext(s.t.Context(), "psql", "-X", "-q", "-A", "-x", "-F", ": ", "-v", "ON_ERROR_STOP=1",
			"-v", "SHOW_CONTEXT=never")
		cmd.Stdin = strings.NewReader(line)
	}
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), kit.ConnectionEnv(s.t, s.URL(user))...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must runs a command or SQL that must succeed.
func (s *scene) must(line string) string {
	s.t.Helper()
	out, err := s.run(line)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 &&
		strings.HasPrefix(line, "pgretain verify") {
		err = nil // it has findings
	}
	if err != nil {
		s.t.Fatalf("typing %s: %v\n%s", line, err, out)
	}
	return out
}

// typed types the hints, after filling in what a person writes. Where a hint has alternatives, it
// types the one of this variant. It returns what they write.
func (s *scene) typed(groups [][]string, variant int) string {
	s.t.Helper()
	var fill []string
	for line := range strings.Lines(s.c.Text("fill")) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if !ok {
			s.t.Fatalf("a line of fill is %q", line)
		}
		fill = append(fill, from, to)
	}
	var out strings.Builder
	for _, g := range groups {
		out.WriteString(s.must(strings.NewReplacer(fill...).Replace(g[min(variant, len(g)-1)])))
	}
	return s.steady(out.String())
}

func (s *scene) protection() kit.Protection {
	s.t.Helper()
	conn := s.Conn(s.t)
	defer conn.Close(s.t.Context())
	return kit.ProtectionOf(s.t, conn, s.File.Install.Schema)
}

// compare fails the test if more became weaker than the case allows.
func (s *scene) compare(weaker []string) {
	s.t.Helper()
	var patterns []string
	for line := range strings.Lines(s.c.Text("weaker")) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
			patterns = append(patterns, line)
		}
	}
	unexpected, idle := kit.Unexpected(weaker, patterns...)
	if len(unexpected)+len(idle) > 0 {
		s.t.Errorf("the protection is weaker:\n%s\nthe case allows, but nothing is:\n%s",
			strings.Join(unexpected, "\n"), strings.Join(idle, "\n"))
	}
}

var (
	hintLine = regexp.MustCompile(`(?mi)^hint: +(.*)$`)
	// beginning matches where something to type begins.
	beginning = regexp.MustCompile(`"pgretain [a-z]|pgretain [a-z]|` +
		`\b(?:SELECT|CALL|GRANT|REVOKE|ALTER|CREATE|DROP|ANALYZE|SET ROLE|RESET ROLE)\b [^ ]` +
		`|\b(?:and|then) migrate\b|\b[Mm]igrate again\b`)
	// ending matches where a statement ends in a sentence.
	ending = regexp.MustCompile(`;|\.(?: |$)|, or |, (?:removes|if) | (?:lists|shows) ` +
		`| in a migration|,? and then | when `)
	migrate = regexp.MustCompile(`^(?:(?:and|then) migrate|[Mm]igrate again)`)
	quoted  = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	option  = regexp.MustCompile(`^pgretain [a-z]+` +
		`(?: (?:--?[a-z-]+(?:[= ](?:'[^']*'|[A-Z]+))?|'[^']*'|[a-z_0-9]*[a-z_0-9]))*`)
)

// groupsOf returns what the hints of a text say to type, in this order. Each element has the
// alternatives; a reader types one of them.
func groupsOf(text string) (groups [][]string) {
	for _, m := range hintLine.FindAllStringSubmatch(text, -1) {
		rest, first := m[1], true
		for {
			at := beginning.FindStringIndex(rest)
			if at == nil {
				break
			}
			between := rest[:at[0]]
			item, length := oneItem(rest[at[0]:])
			if !first && strings.HasSuffix(strings.TrimSpace(between), "or") {
				groups[len(groups)-1] = append(groups[len(groups)-1], item)
			} else {
				groups = append(groups, []string{item})
			}
			rest, first = rest[at[0]+length:], false
		}
	}
	return slices.CompactFunc(groups, slices.Equal)
}

// oneItem returns the command or the statement at the beginning of a text, and its length in the
// text.
func oneItem(text string) (item string, length int) {
	switch {
	case strings.HasPrefix(text, `"pgretain`):
		end := strings.IndexByte(text[1:], '"') + 1
		return text[1:end], end + 1
	case strings.HasPrefix(text, "pgretain"):
		item = option.FindString(text)
		return item, len(item)
	case migrate.MatchString(text):
		return "pgretain migrate up", len(migrate.FindString(text))
	}
	masked := quoted.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("x", len(s)) })
	end := len(text)
	if at := ending.FindStringIndex(masked); at != nil {
		end = at[0]
	}
	return text[:end], end
}
