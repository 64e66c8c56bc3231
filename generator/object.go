package generator

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"

	"pgretain/internal/diag"
)

// Kind is what an Object is. The order of the constants is the order of creation; dropping goes
// the other way.
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
	return digits(sum)
}

// hashJoined is Hash of what parts make together.
func hashJoined(parts ...pieces) string {
	sum := sha256.New()
	for _, part := range parts {
		for _, piece := range part {
			addTo(sum, piece)
		}
	}
	sum.Write([]byte{0})
	return digits(sum)
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

func digits(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil))[:12] }

// ID is what makes two objects the same thing.
type ID struct {
	Kind Kind
	Name string
}

// ID of the object.
func (o Object) ID() ID { return ID{o.Kind, o.Name} }
