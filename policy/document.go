package policy

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
)

// document parses the YAML. What the library says of a syntax error is put into words of ours.
func (r *reader) document() (field, bool) {
	if !r.readable() {
		return field{}, false
	}
	decoder := yaml.NewDecoder(bytes.NewReader(r.source))
	var root, second yaml.Node
	if err := decoder.Decode(&root); err != nil {
		r.syntax(err)
		return field{}, false
	}
	if err := decoder.Decode(&second); err == nil {
		r.add(codeSyntax, r.at(&second), "a second YAML document begins here", "", `Keep everything in one document, without a "---" line.`)
		return field{}, false
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err)
		return field{}, false
	}
	return field{value: root.Content[0]}, true
}

// readable refuses text whose faults the library reports without a place.
func (r *reader) readable() bool {
	for i, line := range r.lines {
		for j, c := range line {
			at := diag.Position{File: r.path, Line: i + 1, Column: j + 1, Width: 1}
			if c == utf8.RuneError {
				r.add(codeSyntax, at, "the file is not valid UTF-8", "", "Save the file as UTF-8.")
				return false
			}
			if c < ' ' && c != '\t' || c == 0x7f {
				r.add(codeSyntax, at, "a control character is not allowed", "", `Inside double quotes write it as an escape, for example "\a".`)
				return false
			}
		}
	}
	return true
}

var (
	yamlLine    = regexp.MustCompile(`line (\d+)`)
	yamlAnchor  = regexp.MustCompile(`unknown anchor '([^']*)' referenced`)
	yamlMessage = []struct{ theirs, ours, hint string }{
		{"mapping values are not allowed", "a key and its value cannot stand here", "Check the indentation, and put a text that contains \": \" in quotes."},
		{"did not find expected ',' or ']'", "a list in brackets is not closed", `Close it with "]", and put commas between its items.`},
		{"did not find expected ',' or '}'", "a map in braces is not closed", `Close it with "}", and put commas between its keys.`},
		{"unexpected end of stream", "a quoted text is not closed", "Add the closing quote."},
		{"cannot start any token", "a character that YAML reserves begins a value", "Put the value in quotes, and indent with spaces, not tabs."},
		{"tab character", "a tab indents a line", "Indent with spaces."},
		{"unknown escape character", "an unknown escape in a double-quoted text", "Write a backslash as \"\\\\\", or use single quotes."},
		{"could not find expected ':'", "a key without a colon", "Write the key, a colon and a space."},
		{"did not find expected key", "a key is expected here", "Check the indentation."},
		{"expected '-' indicator", "a list ends in the middle", "Start each item of the list with \"- \", at the same indentation."},
	}
)

func (r *reader) syntax(err error) {
	if errors.Is(err, io.EOF) {
		r.add(codeSyntax, r.lineAt(1), "the file is empty", "", `Begin with "version: 1".`)
		return
	}
	text := err.Error()
	if m := yamlAnchor.FindStringSubmatch(text); m != nil {
		r.add(codeSyntax, r.find("*"+m[1]), "unknown anchor "+quoted(m[1]), "", "Define an anchor, with \"&\", above its first use.")
		return
	}
	at := r.lineAt(1)
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		if strings.Contains(text, "did not find expected") { // the parser's marks count from 0
			line++
		}
		at = r.lineAt(line)
	}
	for _, known := range yamlMessage {
		if strings.Contains(text, known.theirs) {
			r.add(codeSyntax, at, known.ours, "", known.hint)
			return
		}
	}
	r.add(codeSyntax, at, "this is not valid YAML", "", "Check the line and the one above it.")
}

// lineAt is a whole line, from its first column.
func (r *reader) lineAt(line int) diag.Position {
	line = min(max(line, 1), len(r.lines))
	return diag.Position{File: r.path, Line: line, Column: 1, Width: len(r.lines[line-1])}
}

// find is the first place of text in the file.
func (r *reader) find(text string) diag.Position {
	for i, line := range r.lines {
		if before, _, ok := strings.Cut(string(line), text); ok {
			width := utf8.RuneCountInString(text)
			return diag.Position{File: r.path, Line: i + 1, Column: utf8.RuneCountInString(before) + 1, Width: width}
		}
	}
	return r.lineAt(1)
}

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

// The codes of this package. Each has a page in docs/checks and keeps its meaning for ever;
// P050 and above belong to the generator.
var (
	codeSyntax        = diag.Register("P001", "the file is not valid YAML")
	codeUnknownKey    = diag.Register("P002", "unknown key")
	codeDuplicate     = diag.Register("P003", "a key is written twice")
	codeKind          = diag.Register("P004", "a value of the wrong kind")
	codeMissing       = diag.Register("P005", "a key is missing")
	codeNotYet        = diag.Register("P006", "a construct that is not supported yet")
	codeName          = diag.Register("P007", "an invalid name")
	codeReserved      = diag.Register("P008", "a reserved name")
	codeVersion       = diag.Register("P009", "an unknown version of the language")
	codeIdentifier    = diag.Register("P010", "an invalid table, column or schema name")
	codeExpression    = diag.Register("P011", "an invalid SQL expression")
	codeClock         = diag.Register("P012", "a clock or the session in an expression")
	codeParameter     = diag.Register("P013", "a parameter in an expression")
	codeWindow        = diag.Register("P014", "an invalid window")
	codeWindowBound   = diag.Register("P015", "a window that is zero or too long")
	codeTiers         = diag.Register("P016", "an invalid list of tiers")
	codeConflict      = diag.Register("P017", "keys that exclude each other")
	codeAny           = diag.Register("P018", "an invalid any")
	codeNumber        = diag.Register("P019", "a number out of range")
	codeChoice        = diag.Register("P020", "a value that is none of the choices")
	codeDuration      = diag.Register("P021", "an invalid duration")
	codeFraction      = diag.Register("P022", "an invalid fraction")
	codeSchedule      = diag.Register("P023", "an invalid schedule")
	codeTimeZone      = diag.Register("P024", "an unknown time zone")
	codeUnknownPolicy = diag.Register("P025", "a job runs an unknown policy or report")
	codeRunTwice      = diag.Register("P026", "a name is listed twice")
	codeProtected     = diag.Register("P027", "a protected table would lose or change rows")
	codeUnknownGuard  = diag.Register("P028", "a rank reads an unknown or later guard")
	codeGuardOutside  = diag.Register("P029", "keep is read outside a rank")
	codeNoRows        = diag.Register("P030", "a policy without where and due")
	codeNoDelete      = diag.Register("P031", "a policy that leaves its rows due")
	codeRelated       = diag.Register("P032", "an incomplete step on related rows")
	codeQualifier     = diag.Register("P033", "an unknown name before a dot")
	codeJoinReadsRow  = diag.Register("P034", "a query read once per run that names the row")
	codeType          = diag.Register("P035", "an invalid column type or default")
	codeBounds        = diag.Register("P037", "bounds that contradict each other")
	codeLiteral       = diag.Register("P038", "a value that is not a literal")
	codeStatement     = diag.Register("P039", "an invalid statement of a sql step")
	codeRowless       = diag.Register("P040", "a column where there is no row")
	codePartitions    = diag.Register("P041", "a key or step that does not fit partitions_of")
	codeRunOutside    = diag.Register("P042", "run is read outside a step")
	codeClaim         = diag.Register("P043", "a claim that does not fit its policy")
	codeTouch         = diag.Register("P044", "a touch that does not fit its key")
	codeSameName      = diag.Register("P045", "one name for two things")
	codeScope         = diag.Register("P046", "a scope that a policy lacks")
	codeDocument      = diag.Register("P047", "a document without the row")
	codeSuppression   = diag.Register("P048", "an invalid suppression")
	codeNotSilent     = diag.Register("P049", "a check that cannot be suppressed")
	codeUnreadable    = diag.Register("P036", "the file cannot be read")
)

// CronElsewhere says whether jobs are scheduled in another database than the one they run in.
func (i Install) CronElsewhere() bool {
	return i.Scheduler == "pg_cron" && i.CronDatabase != "" && i.CronDatabase != i.Database
}

// CronJobName is the jobname of a job's schedule, counted from 0. Where several applications share
// schema cron it begins with the database; neither schemas nor jobs have a dot in their names.
func (i Install) CronJobName(job string, schedule int) string {
	name := i.Schema + "." + job
	if i.CronElsewhere() {
		name = i.Database + "." + name
	}
	if schedule > 0 {
		name += "#" + strconv.Itoa(schedule+1)
	}
	return short(name)
}

// CronJobPrefix is how the names of all jobs begin in a schema cron that several applications share.
func (i Install) CronJobPrefix() string {
	prefix := i.Database + "." + i.Schema + "."
	return prefix[:min(len(prefix), kept(prefix))]
}

// CronSchema is the schema in the other database that holds the versions of its migrations. It
// belongs to this install alone, and stays the same when the jobs move back.
func (i Install) CronSchema() string { return short(i.Database + "." + i.Schema) }

// nameLimit is the longest identifier in bytes; pg_cron before 1.5 cuts longer names without a word.
const nameLimit = 63

// short is the name itself, or its beginning and a hash of it where PostgreSQL would cut it.
func short(name string) string {
	if len(name) <= nameLimit {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:kept(name)] + "~" + hex.EncodeToString(sum[:])[:8]
}

// kept is how many bytes of a long name stay, in whole characters.
func kept(name string) int {
	end := min(nameLimit-9, len(name))
	for end < len(name) && !utf8.RuneStart(name[end]) {
		end--
	}
	return end
}

// Schema is the JSON Schema (draft 2020-12) of a policy file, for editors. It knows which keys
// there are and what kind of value each has; what SQL and names mean, only Parse knows.
//
//go:embed schema.json
var Schema string
