package generator

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/lists"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// Kind is the kind of an Object. The constants are in the order of creation. Objects are dropped in
// the opposite order.
type Kind string

// These are all kinds. Objects from KindPrivilege on may change with a policy.
const (
	KindRuntime   Kind = "runtime"   // the whole runtime; only dropped, as its schema
	KindType      Kind = "type"      // type of the runtime
	KindTable     Kind = "table"     // table of the runtime
	KindUpgrade   Kind = "upgrade"   // change of a type or table of the runtime; name: "version/name"
	KindFunction  Kind = "function"  // name: schema.name(argument types)
	KindProcedure Kind = "procedure" // name: schema.name(argument types)
	KindView      Kind = "view"
	KindArchive   Kind = "archive"   // table that an archive step creates; name: "schema.table"
	KindStored    Kind = "stored"    // table of the runtime's schema for the rows of a join during a run
	KindColumn    Kind = "column"    // column of "ensure"; name: "schema.table.column"
	KindPrivilege Kind = "privilege" // privileges of the worker on one table; name: "schema.table"
	KindIndex     Kind = "index"     // index, built CONCURRENTLY; name: "schema.index"
	KindInstall   Kind = "install"   // the only row of the registry's table of the install; name: "install"
	KindPolicy    Kind = "policy"    // registry row of a policy; name: the policy's name
	KindEach      Kind = "each"      // script of a policy for each schema; name: the policy's name
	KindJob       Kind = "job"       // registry row of a job; name: the job's name
	KindCron      Kind = "cron"      // pg_cron job; name: its jobname
)

// As names the role that creates an object.
type As string

// These are the roles that create objects. With "roles: none" all of them are the migrating role.
const (
	AsMigrator As = "migrator" // the role that runs the migration and owns the application's tables
	AsOwner    As = "owner"
	AsWorker   As = "worker" // created by the owner; retention._apply_privileges() gives it to the worker
	AsRunner   As = "runner"
)

// Object is one thing that pgretain creates in the database. SQL creates or replaces it, grants
// included, and can be run twice. SQL may have several statements. Each ends with a semicolon and a
// line break. Drop removes the object and can be run twice.
type Object struct {
	Kind     Kind
	Name     string
	As       As
	SQL      string
	Drop     string
	Policy   string         // name of the policy; "" for the runtime
	Table    string         // "schema.name" of the policy's table; "" if there is none
	Position diag.Position  // position of the policy or job in the file; zero for the runtime
	Words    []explain.Line // description of a policy, report, job or the install, for its script
	Parts    Parts          // texts in SQL that later steps read

	Chapter string   // folder of the object in sql/; "" if it is not of the runtime
	Grants  []string // roles that may call or read it besides its owner
	Writes  []string // privileges of the worker on a table besides SELECT

	// The verifier and "plan" alone read the following fields. Migrations do not record them.
	Cron      *CronJob         // of a KindCron object
	Routine   *pgparse.Routine // of a function or procedure
	Index     *Index           // of a KindIndex object
	Column    *Column          // of a KindColumn object
	Needs     []string         // indexes that the table had before, for a KindPolicy object
	Instances *Instances       // for a KindEach object
	Rights    []Right          // for a KindPrivilege object
	Row       any              // row of the registry: a struct whose fields are columns
}

// Hash returns twelve hexadecimal digits over the role and the SQL of the object.
func (o Object) Hash() string { return Hash(string(o.As), o.SQL) }

// Hash returns twelve hexadecimal digits over parts.
func Hash(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		sum.Write(append([]byte(part), 0))
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// ID identifies an object. Two objects with the same ID are versions of one thing.
type ID struct {
	Kind Kind
	Name string
}

func (o Object) ID() ID { return ID{o.Kind, o.Name} }

// kinds are all kinds in the order of creation.
var kinds = []Kind{
	KindRuntime, KindType, KindTable, KindUpgrade, KindFunction, KindProcedure, KindView, KindColumn, KindArchive,
	KindPrivilege, KindIndex, KindInstall, KindStored, KindPolicy, KindEach, KindJob, KindCron,
}

// rank returns the position of a kind in the order of creation; -1 for an unknown kind. Procedures
// have the rank of functions.
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

// storesData reports whether objects of this kind stay in the database after no policy wants them.
func storesData(kind Kind) bool { return kind == KindColumn || kind == KindArchive }

// isRuntime reports whether an object belongs to the runtime, which has a migration file of its
// own.
func isRuntime(o *Object) bool { return o.Policy == "" && rank(o.Kind) <= rank(KindView) }

// defaultRole returns the role that creates objects of this kind, unless the object names another
// role.
func defaultRole(kind Kind) As { return cmp.Or(otherRoles[kind], AsOwner) }

// otherRoles are the creating roles of the kinds that the owner does not create.
var otherRoles = map[Kind]As{
	KindColumn:    AsMigrator,
	KindArchive:   AsMigrator,
	KindPrivilege: AsMigrator,
	KindIndex:     AsMigrator,
	KindCron:      AsRunner,
}

// newObject renders an object of a kind. The template creates the object. The template <kind>_drop
// removes it, if there is one.
func newObject(kind Kind, name, template string, data any, at diag.Position) Object {
	o := Object{Kind: kind, Name: name, As: defaultRole(kind), Position: at}
	sql, body := objectWithBody(template, data)
	if o.SQL = sql; kind == KindFunction {
		o.Routine = &pgparse.Routine{Body: body}
	}
	if drop := string(kind) + "_drop"; set.Lookup(drop+".sql.tmpl") != nil {
		o.Drop = object(drop, data)
	}
	return o
}

// grantedTo returns the object with grants to the roles added. With "roles: none" it adds none,
// because one role owns everything.
func (o Object) grantedTo(in policy.Roles, names ...string) Object {
	if !in.None {
		o.Grants = append(o.Grants, names...)
	}
	return o
}

// Change is the difference of one object between two states. Before is nil for a new object. After
// is nil for a removed object.
type Change struct {
	Before, After *Object
	// Keep is true for a column or an archive that no step removes: it existed before, or it
	// contains data.
	Keep bool
	// DropFirst is true if Up and Down drop the existing object before they create anything.
	DropFirst bool
	// BeforeIndex and AfterIndex are the positions of Before and After in the order of creation.
	BeforeIndex, AfterIndex int
	sum                     string // hash of After; "" in Down
}

// Changes compares two lists of objects. It returns new and changed objects in the order of after,
// then removed objects in the order of before.
func Changes(before, after []Object) []Change {
	return slices.DeleteFunc(pairs(before, after), func(c Change) bool { return !c.differs() })
}

// pairs returns a Change for every object, unchanged ones included. The order is that of Changes.
func pairs(before, after []Object) []Change {
	indexBefore := make(map[ID]int, len(before))
	for i, o := range before {
		indexBefore[o.ID()] = i
	}
	sums, _ := parallel.Each(after, func(o Object) (string, error) { return o.Hash(), nil })
	var list []Change
	for i := range after {
		c := Change{After: &after[i], AfterIndex: i, sum: sums[i]}
		if at, had := indexBefore[after[i].ID()]; had {
			c.Before, c.BeforeIndex = &before[at], at
			delete(indexBefore, after[i].ID())
		}
		list = append(list, c)
	}
	for i := range before {
		if _, removed := indexBefore[before[i].ID()]; removed {
			list = append(list, Change{Before: &before[i], BeforeIndex: i})
		}
	}
	return list
}

func (c Change) differs() bool { return c.Before == nil || c.After == nil || c.Before.Hash() != c.sum }

// reversed returns the change that Down makes.
func (c Change) reversed() Change {
	return Change{Before: c.After, After: c.Before, Keep: c.Keep, DropFirst: c.DropFirst, BeforeIndex: c.AfterIndex,
		AfterIndex: c.BeforeIndex}
}

// partitions reports whether the table of an index became partitioned, or is not partitioned any
// more. Down keeps such an index, because the other form cannot be built on the present table.
func (c Change) partitions() bool {
	return c.Before != nil && c.After != nil && c.After.Kind == KindIndex &&
		c.Before.isPartitioned() != c.After.isPartitioned()
}

// Object returns After, or Before if the object is removed.
func (c Change) Object() *Object { return cmp.Or(c.After, c.Before) }

// Sign returns "+" for a new object, "~" for a changed one, "-" for a removed one.
func (c Change) Sign() string {
	switch {
	case c.Before == nil:
		return "+"
	case c.After == nil:
		return "-"
	}
	return "~"
}

// Words returns how a replaced object is changed, for example ": due: ... 7 days back -> ... 3 days
// back". It returns "" for new and removed objects and for the runtime.
func (c Change) Words() string {
	if c.Sign() != "~" {
		return ""
	}
	words, before, after := "", c.Before.Parts, c.After.Parts
	switch kind := c.After.Kind; {
	case after[PartLost] != before[PartLost] && after[PartLost] != "":
		words = "restores what a database had lost"
	case hasScript(kind):
		words = cmp.Or(explain.Changes(before[PartWords], after[PartWords]), "the same definition, other SQL")
	case kind == KindJob:
		words = cmp.Or(explain.Changes(before[PartWords], after[PartWords]), sqlWords(*c.Before, *c.After))
	case kind == KindInstall:
		words = installWords(*c.Before, *c.After)
	case rank(kind) > rank(KindView):
		words = sqlWords(*c.Before, *c.After)
	default:
		return ""
	}
	return ": " + strings.ReplaceAll(words, "+goose", `\u002bgoose`)
}

// sqlWords returns the differences between the statements of two objects.
func sqlWords(before, after Object) string {
	lines := func(o Object) (list []explain.Line) {
		statements, _ := pgparse.Statements(o.SQL) // the SQL is valid: pgretain has read or rendered it
		for _, sql := range statements {
			list = append(list, explain.Line{Key: "SQL", Text: withoutComments(sql)})
		}
		return list
	}
	return cmp.Or(explain.Differences(lines(before), lines(after)), "other comments")
}

// withoutComments returns a statement without comments, with one blank wherever there is white
// space between tokens.
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

// installWords returns the columns of the install's row that change, with both values.
func installWords(before, after Object) string {
	var oldRow, newRow installRow
	if !before.readRow(&oldRow) || !after.readRow(&newRow) {
		return sqlWords(before, after)
	}
	var list []string
	values := fieldsOf(newRow)
	for i, f := range fieldsOf(oldRow) {
		if from, to := shownValue(f.value), shownValue(values[i].value); from != to {
			list = append(list, f.name+": "+from+" -> "+to)
		}
	}
	slices.Sort(list)
	return cmp.Or(strings.Join(list, "; "), sqlWords(before, after))
}

// shownValue formats a column's value for a comment. It returns "none" for a missing value, NULL or
// an empty list.
func shownValue(value string) string {
	var list []string
	if json.Unmarshal([]byte(value), &list) == nil && len(list) > 0 {
		return strings.Join(lists.Map(list, quoteName), ", ")
	}
	var text string
	if json.Unmarshal([]byte(value), &text) == nil && text != "" {
		return quoteName(text)
	}
	return "none"
}

// OfRuntime reports whether the object belongs to the runtime, which has a migration file of its
// own.
func (c Change) OfRuntime() bool { return isRuntime(c.Object()) }
