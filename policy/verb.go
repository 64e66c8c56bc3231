package policy

// Verb says what a step does. The registry and retention.effect have it as text.
type Verb string

// The verbs of steps. Steps of the registry have no other verbs.
const (
	VerbArchive   Verb = "archive"
	VerbDelete    Verb = "delete"
	VerbDetach    Verb = "detach"
	VerbDrop      Verb = "drop"       // drops a partition
	VerbDropTable Verb = "drop table" // drops tables that rows name
	VerbInsert    Verb = "insert"     // also for "emit"
	VerbSQL       Verb = "sql"
	VerbUpdate    Verb = "update"
	VerbNote      Verb = "note" // an entry 0 of the registry: the policy has notes on its numbers
	VerbSet       Verb = "set"  // an entry 0 of the registry: the columns that an SQL step or a watermark sets
)

// VerbCascade is what foreign keys do. No step has this verb.
const VerbCascade Verb = "cascade"
