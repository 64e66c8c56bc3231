package generator

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// Kind is what an Object is. The order of the constants is the order of creation; dropping goes the other way.
type Kind string

// The kinds. Everything from KindPrivilege on may change with a policy.
const (
	KindRuntime   Kind = "runtime"   // all of it, where it is dropped: its schema
	KindType      Kind = "type"      // of the runtime
	KindTable     Kind = "table"     // of the runtime
	KindUpgrade   Kind = "upgrade"   // a change of such a type or table: "version/name"
	KindFunction  Kind = "function"  // name is schema.name(argument types)
	KindProcedure Kind = "procedure" // name is schema.name(argument types)
	KindView      Kind = "view"
	KindArchive   Kind = "archive"   // "schema.table", one that an archive step makes
	KindStored    Kind = "stored"    // a table of ours that holds a join's rows during a run
	KindColumn    Kind = "column"    // "schema.table.column", one that a policy makes sure of
	KindPrivilege Kind = "privilege" // what the worker may do with one table: "schema.table"
	KindIndex     Kind = "index"     // "schema.index", built CONCURRENTLY
	KindInstall   Kind = "install"   // the registry's single row of the install: "install"
	KindPolicy    Kind = "policy"    // a policy's registry row: the policy's name
	KindEach      Kind = "each"      // the page of a policy for each schema: the policy's name
	KindJob       Kind = "job"       // a job's registry row: the job's name
	KindCron      Kind = "cron"      // a pg_cron job: its jobname
)

// As says which role creates an object.
type As string

// The roles of a migration. With "roles: none" all three are the migrating role.
const (
	AsMigrator As = "migrator" // whoever runs the migration: owns the application's tables
	AsOwner    As = "owner"
	AsWorker   As = "worker" // made by the owner; retention._apply_privileges() hands it over
	AsRunner   As = "runner"
)

// Object is one thing that pgretain wants in the database. SQL creates or replaces it and may be
// run twice; it may hold several statements, each of which ends with a semicolon and a line
// break, grants included. Drop removes it and may be run twice.
type Object struct {
	Kind     Kind
	Name     string
	As       As
	SQL      string
	Drop     string
	Policy   string         // the policy that wants it, "" for the runtime
	Table    string         // "schema.name" of the policy's table, "" otherwise
	Position diag.Position  // of the policy or job, zero for the runtime
	Words    []explain.Line // of a policy, report, job or the install: what it does; a page begins with them

	Chapter string   // of the runtime: the folder in which it stands
	Grants  []string // roles that may call or read it besides its owner
	Writes  []string // of a table: what the worker may do there besides reading

	// These are for the verifier; migrations do not record them.
	Cron       *CronJob                   // of a KindCron object
	Definition string                     // of a KindIndex object: its CREATE INDEX alone
	Content    string                     // of a KindIndex object: what the planner takes it to hold, as EXPLAIN
	Needs      []string                   // of a KindPolicy object: indexes of its table that were there before
	Members    *Members                   // of a KindEach object
	Rights     []Right                    // of a KindPrivilege object
	Row        map[string]json.RawMessage // of a row of the registry: columns that say nothing of where it is
}

// Hash is twelve hexadecimal digits of what makes the object what it is.
func (o Object) Hash() string { return Hash(string(o.As), o.SQL) }

// Hash is twelve hexadecimal digits over parts.
func Hash(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		sum.Write(append([]byte(part), 0))
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// ID is what makes two objects the same thing.
type ID struct {
	Kind Kind
	Name string
}

func (o Object) ID() ID { return ID{o.Kind, o.Name} }

// kinds in the order of creation.
var kinds = []Kind{
	KindRuntime, KindType, KindTable, KindUpgrade, KindFunction, KindProcedure, KindView, KindColumn, KindArchive, KindPrivilege,
	KindIndex, KindInstall, KindStored, KindPolicy, KindEach, KindJob, KindCron,
}

// rank is -1 for a kind that is none of ours. Procedures stand among functions.
func rank(kind Kind) int {
	if kind == KindProcedure {
		kind = KindFunction
	}
	return slices.Index(kinds, kind)
}

// byRank sorts objects by kind, in the order of creation.
func byRank(objects []Object) []Object {
	sorted := slices.Clone(objects)
	slices.SortStableFunc(sorted, func(a, b Object) int { return rank(a.Kind) - rank(b.Kind) })
	return sorted
}

// holdsData says whether objects of a kind are left where they are when nobody wants them any more.
func holdsData(kind Kind) bool { return kind == KindColumn || kind == KindArchive }

// isRuntime says whether an object belongs to the runtime, which has a file of its own.
func isRuntime(o *Object) bool { return o.Policy == "" && rank(o.Kind) <= rank(KindView) }

// usually is the role that creates objects of a kind.
func usually(kind Kind) As { return cmp.Or(unusual[kind], AsOwner) }

var unusual = map[Kind]As{
	KindColumn: AsMigrator, KindArchive: AsMigrator, KindPrivilege: AsMigrator, KindIndex: AsMigrator, KindCron: AsRunner,
}

// made is an object of a kind: template creates it, and <kind>_drop removes it, where there is such a template.
func made(kind Kind, name, template string, data fields, at diag.Position) Object {
	o := Object{Kind: kind, Name: name, As: usually(kind), SQL: object(template, data), Position: at}
	if drop := string(kind) + "_drop"; set.Lookup(drop+".sql.tmpl") != nil {
		o.Drop = object(drop, data)
	}
	return o
}

// grantedTo lets roles call or read an object; with "roles: none" all is one role's.
func (o Object) grantedTo(in policy.Roles, names ...string) Object {
	if !in.None {
		o.Grants = append(o.Grants, names...)
	}
	return o
}

// Change is what becomes of an object: there is no Before of a new one, and no After of one that goes.
type Change struct {
	Before, After *Object
	// Keep marks a column or an archive that no step removes: it was there before, or holds data now.
	Keep bool
	// DropFirst says that what is there goes before anything is created, in Up and in Down.
	DropFirst bool
	// BeforeIndex and AfterIndex are the places of Before and After in the order of creation.
	BeforeIndex, AfterIndex int
	sum                     string // the hash of After; "" on the way back
}

// Changes tells two lists of objects apart: new and changed ones in the order of after, then those that go, in that of
// before.
func Changes(before, after []Object) []Change {
	return slices.DeleteFunc(pairs(before, after), func(c Change) bool { return !c.differs() })
}

// pairs is Changes with the objects that stay as they are among those of after.
func pairs(before, after []Object) []Change {
	was := make(map[ID]int, len(before))
	for i, o := range before {
		was[o.ID()] = i
	}
	sums, _ := parallel.Each(after, func(o Object) (string, error) { return o.Hash(), nil })
	var list []Change
	for i := range after {
		c := Change{After: &after[i], AfterIndex: i, sum: sums[i]}
		if at, had := was[after[i].ID()]; had {
			c.Before, c.BeforeIndex = &before[at], at
			delete(was, after[i].ID())
		}
		list = append(list, c)
	}
	for i := range before {
		if _, goes := was[before[i].ID()]; goes {
			list = append(list, Change{Before: &before[i], BeforeIndex: i})
		}
	}
	return list
}

func (c Change) differs() bool { return c.Before == nil || c.After == nil || c.Before.Hash() != c.sum }

// back is the change in Down.
func (c Change) back() Change {
	return Change{Before: c.After, After: c.Before, Keep: c.Keep, DropFirst: c.DropFirst, BeforeIndex: c.AfterIndex, AfterIndex: c.BeforeIndex}
}

// Object is the later of the two.
func (c Change) Object() *Object { return cmp.Or(c.After, c.Before) }

// Sign is "+" of a new object, "~" of one that changes, "-" of one that goes.
func (c Change) Sign() string {
	switch {
	case c.Before == nil:
		return "+"
	case c.After == nil:
		return "-"
	}
	return "~"
}

// Words say how an object changes that is replaced, as in ": due: ... 7 days back -> ... 3 days back"; "" of one that is
// new or goes, and of the runtime.
func (c Change) Words() string {
	if c.Sign() != "~" {
		return ""
	}
	words := ""
	switch kind := c.After.Kind; {
	case hasPage(kind):
		words = cmp.Or(explain.Changes(pageOf(c.Before.SQL), pageOf(c.After.SQL)), "the same definition, other SQL")
	case kind == KindJob:
		words = cmp.Or(explain.Changes(pageOf(c.Before.SQL), pageOf(c.After.SQL)), sqlWords(*c.Before, *c.After))
	case kind == KindInstall:
		words = installWords(*c.Before, *c.After)
	case rank(kind) > rank(KindView):
		words = sqlWords(*c.Before, *c.After)
	default:
		return ""
	}
	return ": " + strings.ReplaceAll(words, "+goose", `\u002bgoose`)
}

// sqlWords say what differs between the statements of two objects.
func sqlWords(before, after Object) string {
	lines := func(o Object) (list []explain.Line) {
		statements, _ := pgparse.Statements(o.SQL) // of an object that was read or rendered
		for _, sql := range statements {
			list = append(list, explain.Line{Key: "SQL", Text: withoutComments(sql)})
		}
		return list
	}
	return cmp.Or(explain.Differences(lines(before), lines(after)), "other comments")
}

// withoutComments returns a statement without comments, with one blank where space stands between tokens.
func withoutComments(sql string) string {
	var b strings.Builder
	end := 0
	tokens, _ := pgparse.Tokens(sql)
	for _, t := range tokens {
		if !t.Comment {
			if t.Offset > end && b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(oneLine(t.Text))
			end = t.Offset + len(t.Text)
		}
	}
	return b.String()
}

// installWords say which columns of the install's row change, with both values.
func installWords(before, after Object) string {
	var was, is map[string]json.RawMessage
	if !rowOf(before.SQL, &was) || !rowOf(after.SQL, &is) {
		return sqlWords(before, after)
	}
	var list []string
	for _, key := range slices.Sorted(maps.Keys(merged(was, is))) {
		if from, to := shownValue(was[key]), shownValue(is[key]); from != to {
			list = append(list, key+": "+from+" -> "+to)
		}
	}
	return cmp.Or(strings.Join(list, "; "), "other comments")
}

func merged(a, b map[string]json.RawMessage) map[string]json.RawMessage {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// shownValue writes a column's value for a comment: "none" where it is missing, NULL or an empty list.
func shownValue(value json.RawMessage) string {
	var list []string
	if json.Unmarshal(value, &list) == nil && len(list) > 0 {
		return strings.Join(each(list, quoteName), ", ")
	}
	var text string
	if json.Unmarshal(value, &text) == nil && text != "" {
		return quoteName(text)
	}
	if shown := string(value); shown != "" && shown != "null" && shown != "[]" && shown != `""` {
		return oneLine(shown)
	}
	return "none"
}

// OfRuntime says whether the object belongs to the runtime, which has a file of its own.
func (c Change) OfRuntime() bool { return isRuntime(c.Object()) }
