package generator

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
	"sync"

	"pgretain/internal/diag"
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
	KindJob       Kind = "job"       // a job's registry row: the job's name
	KindCron      Kind = "cron"      // a pg_cron job: its jobname
)

// As says which role creates an object.
type As string

// The roles of a migration. With "roles: none" all three are the migrating role.
const (
	AsMigrator As = "migrator" // whoever runs the migration: owns the application's tables
	AsOwner    As = "owner"
	AsWorker   As = "worker" // made by the owner; retention._close() hands it over
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
	Policy   string        // the policy that wants it, "" for the runtime
	Table    string        // "schema.name" of the policy's table, "" otherwise
	Position diag.Position // of the policy or job, zero for the runtime
	Words    []string      // of a KindPolicy object: its definition, a property a line; a page begins with them

	Grants []string // roles that may call or read it besides its owner
	Writes []string // of a table: what the worker may do there besides reading

	// These are for the verifier; migrations do not record them.
	Cron       *CronJob          // of a KindCron object
	Definition string            // of a KindIndex object: its CREATE INDEX alone
	Needs      []IndexNeed       // of a KindPolicy object
	Row        map[string]string // of a KindPolicy object: its columns, as JSON
}

// Hash is twelve hexadecimal digits of what makes the object what it is.
func (o Object) Hash() string { return Hash(string(o.As), o.SQL) }

// Hash is twelve hexadecimal digits over parts.
func Hash(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		addTo(sum, part)
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// hashJoined is Hash of what parts make together.
func hashJoined(parts pieces) string {
	sum := sha256.New()
	for _, part := range parts {
		addTo(sum, part)
	}
	sum.Write([]byte{0})
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// chunks are what texts are copied to in order to be added to a sum.
var chunks = sync.Pool{New: func() any { return new([4096]byte) }}

// addTo adds a little at a time: a migration can have many megabytes, which would be copied.
func addTo(sum hash.Hash, text string) {
	chunk := chunks.Get().(*[4096]byte)
	defer chunks.Put(chunk)
	for len(text) > 0 {
		n := copy(chunk[:], text)
		sum.Write(chunk[:n])
		text = text[n:]
	}
}

// ID is what makes two objects the same thing.
type ID struct {
	Kind Kind
	Name string
}

// ID of the object.
func (o Object) ID() ID { return ID{o.Kind, o.Name} }

// Pages puts what belongs to one policy or report, and can be replaced without data, into one object: its
// functions, its tables for joins and its row of the registry. The page is the unit of change of a migration.
func Pages(objects []Object, roles policy.Roles) []Object {
	parts := map[string][]Object{}
	rows := map[string]bool{}
	for _, o := range objects {
		if o.Kind == KindPolicy {
			rows[o.Policy] = true
		} else if ofPage(o) {
			parts[o.Policy] = append(parts[o.Policy], o)
		}
	}
	var list []Object
	for _, o := range objects {
		switch {
		case ofPage(o) && rows[o.Policy]:
		case o.Kind == KindPolicy && len(parts[o.Policy]) > 0:
			list = append(list, page(o, parts[o.Policy], roles))
		default:
			list = append(list, o)
		}
	}
	return list
}

// ofPage says whether an object stands in its policy's page.
func ofPage(o Object) bool {
	return o.Policy != "" && (o.Kind == KindFunction || o.Kind == KindProcedure || o.Kind == KindStored)
}

// page is the row of a policy with all of its parts before it, tables first.
func page(row Object, parts []Object, roles policy.Roles) Object {
	type pagePart struct {
		SQL   sqlText
		Owner sqlText // who is to be again after the role that migrates made it, "" where nobody changes
	}
	var tables, functions []pagePart
	for _, o := range parts {
		p := pagePart{SQL: sqlText(o.SQL)}
		if o.As == AsMigrator && !roles.None {
			p.Owner = sqlText(ident(roles.Owner).String())
		}
		if o.Kind == KindStored {
			tables = append(tables, p)
		} else {
			functions = append(functions, p)
		}
	}
	var words []sqlText
	for _, word := range row.Words {
		words = append(words, sqlText(word))
	}
	schema, _, _ := strings.Cut(parts[0].Name, ".")
	row.SQL = execute("page.sql.tmpl", fields{"Words": words, "Schema": sqlText(schema), "Name": literal(row.Name),
		"Parts": append(tables, functions...), "Row": sqlText(row.SQL)})
	return row
}
