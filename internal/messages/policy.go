package messages

import (
	"fmt"
	"strings"

	"pgretain/internal/diag"
)

// The codes of policies and jobs whose parts do not fit together.
var (
	invalidWindow   = diag.Declare("P014", "", "invalid window")
	windowLength    = diag.Declare("P015", "", "window is zero or too long")
	invalidTiers    = diag.Declare("P016", "", "invalid list of tiers")
	exclusive       = diag.Declare("P017", "", "keys exclude each other")
	invalidAny      = diag.Declare("P018", "", `invalid "any"`)
	unknownRun      = diag.Declare("P025", "", "job runs an unknown policy or report")
	changesProtect  = diag.Declare("P027", "", "policy changes rows of a protected table")
	neitherWhere    = diag.Declare("P030", "", `policy has neither "where" nor "due"`)
	leavesDue       = diag.Declare("P031", "", "policy leaves its rows due")
	incompleteStep  = diag.Declare("P032", "", "incomplete step on related rows")
	manySchemas     = diag.Declare("P036", "", "name that stands for many schemas is not allowed here")
	contradiction   = diag.Declare("P037", "", "bounds contradict each other")
	ofPartitions    = diag.Declare("P041", "", `key or step does not fit "partitions_of"`)
	claimDoesNotFit = diag.Declare("P043", "", "claim does not fit its policy")
	touchDoesNotFit = diag.Declare("P044", "", "touch does not fit its key")
	usedTwice       = diag.Declare("P045", "", "name is used for two things")
	noScope         = diag.Declare("P046", "", "policy does not have the scope of its job")
	incompleteCopy  = diag.Declare("P047", "", "document does not contain the row")
)

func InvalidWindow(text, hint string) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidWindow, Message: fmt.Sprintf("invalid window %q", text), Hint: hint}
}

func ConstantUnit(unit, text string) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidWindow, Message: fmt.Sprintf("%q must be an SQL expression, not %q", unit,
		text),
		Hint: "Write a constant window as a number of units, for example {days: 7, at_least: 1}."}
}

// ZeroWindow takes whether the window may have a lower bound.
func ZeroWindow(text string, bound bool) diag.Diagnostic {
	hint := "Write a longer window"
	if bound {
		hint += `, or add "at_least: 0"`
	}
	return diag.Diagnostic{Code: windowLength, Message: fmt.Sprintf("window %q is zero", text),
		Detail: "Every row whose clock is in the past would be due.", Hint: hint + "."}
}

func LongWindow(text, hint string) diag.Diagnostic {
	return diag.Diagnostic{Code: windowLength, Message: fmt.Sprintf("window %q is too long", text), Hint: hint}
}

// Faults of tiers.
var (
	ElseNotLast = diag.Diagnostic{Code: invalidTiers, Message: `"else" must be the last tier`,
		Detail: `No row would reach a tier after "else".`,
		Hint:   `Move the tier with "else" to the end of the list.`}
	ElseNotAlone = diag.Diagnostic{Code: invalidTiers, Message: `"else" must be the only key of its tier`,
		Hint: "Write {else: ...} as the last item of the list."}
)

func TiersWithoutWhen(name string) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidTiers, Message: fmt.Sprintf(`%q has no tier with "when"`, name),
		Hint: "Write one interval, or {when: ..., then: ...} and {else: ...}."}
}

func exclude(first, second string) string {
	return fmt.Sprintf("%q and %q cannot be used together", first, second)
}

func TableAndPartitions(first, second string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: exclude(first, second),
		Detail: "The rows of a policy are either rows of a table or partitions.", Hint: "Remove one of the two keys."}
}

func TwoClocks(first, second string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: exclude(first, second),
		Hint: fmt.Sprintf("If one of the two is enough, write due: {any: [{%s: ...}, {%s: ...}]}.", first, second)}
}

func TwoSubjects(first, second string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: exclude(first, second),
		Hint: fmt.Sprintf("Write a second item of the list for %q.", second)}
}

func KeyAndPer(first, second string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: exclude(first, second),
		Detail: `With "key" the step changes an existing row. With "per" it inserts one row for each group.`,
		Hint:   "Remove one of the two keys."}
}

func ColumnsAndDocument(first, second string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: exclude(first, second),
		Detail: "A document contains all columns under their own names.",
		Hint:   `Remove "columns". To fill another column of the archive, write for example set: {invoice_id: id}.`}
}

func ScopeAndWatermark(key string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: exclude(key, "watermark"),
		Detail: "A run of one scope would move the watermark past the rows of other scopes, " +
			"and no run would process them.",
		Hint: `Write one policy for each value, with a condition in "where" and a watermark row of its own.`}
}

func ColumnOrExpression(in, first, second string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: needsEither(in, first, second)}
}

func TableOrQuery(in, first, second string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: needsEither(in, first, second),
		Hint: `Write the whole query as one text, and omit the key "where". ` +
			`The run then executes the query for each row, while it holds the row lock.`}
}

// OneVerb is about a step with several verbs, or with none.
var OneVerb = diag.Diagnostic{Code: exclusive, Message: "a step must have exactly one verb",
	Hint: `Write each step as a list item of its own, for example "- delete: {...}".`}

func UndoOfRelated(key string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: fmt.Sprintf(`%q cannot be used with "table"`, key),
		Detail: "Only rows of the policy's own table can be restored.", Hint: `Remove "undo" or "table".`}
}

func AsWithoutRow(key string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: fmt.Sprintf(`%q of an insert needs "per" or "table"`, key),
		Detail: `With "per" it names the new row of the group. With "table" it names the related row.`,
		Hint:   fmt.Sprintf("Remove %q.", key)}
}

func ArchivedInItself(from, into string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: fmt.Sprintf("rows of %q cannot be archived in %q", from, into),
		Detail: "The copy would be due like the row itself.", Hint: `Name another table under "into".`}
}

func OneUnit(what string, units []string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: what + " needs exactly one unit",
		Detail: fmt.Sprintf("Units: %s.", listed(units)),
		Hint:   `Write a map such as {days: "o.days", else: 30, at_least: 7}.`}
}

func KeyOfConstant(key string) diag.Diagnostic {
	return diag.Diagnostic{Code: exclusive, Message: fmt.Sprintf("%q cannot be used with a constant", key),
		Detail: "A constant is never NULL.", Hint: fmt.Sprintf("Remove %q, or write an SQL expression in quotes.", key)}
}

// Faults of "any".
var (
	AnyNotAlone = diag.Diagnostic{Code: invalidAny, Message: `"any" must be the only key of "due"`,
		Hint: `Move the other keys into the entries of "any".`}
	EmptyAny = diag.Diagnostic{Code: invalidAny, Message: `"any" has no entry`,
		Hint: "Write at least one map with age, expires, position or beyond."}
	WatermarkInAny = diag.Diagnostic{Code: invalidAny, Message: `"watermark" is not allowed inside "any"`,
		Detail: `The watermark would also move past rows that another entry of "any" takes.`,
		Hint:   "Write a separate policy for the position."}
)

func NestedAny(key string) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidAny, Message: fmt.Sprintf(`%q is not allowed inside "any"`, key),
		Hint: `List all entries in one "any".`}
}

func UnknownRun(job, name string, known []string) diag.Diagnostic {
	return diag.Diagnostic{Code: unknownRun,
		Message: fmt.Sprintf("job %q runs an unknown policy or report %q", job, name), Hint: DidYouMean(name, known)}
}

// ChangesProtected takes what would change rows, and where "protect" lists the table.
func ChangesProtected(what, policy, table string, listed diag.Position) diag.Diagnostic {
	if what == "policy" {
		what = fmt.Sprintf("policy %q", policy)
	}
	return diag.Diagnostic{Code: changesProtect,
		Message: fmt.Sprintf("%s would change or delete rows of the protected table %q", what, table),
		Detail:  fmt.Sprintf(`"protect" lists the table at %s.`, listed),
		Hint:    `Remove the table here or from "protect".`}
}

func NeitherWhereNorDue(policy string) diag.Diagnostic {
	return diag.Diagnostic{Code: neitherWhere, Message: policy + ` needs "where" or "due"`,
		Detail: "Without both, every row of the table would be due.",
		Hint:   `Write which rows the policy is about under "where", or when they are due under "due".`}
}

func LeavesRowsDue(policy string) diag.Diagnostic {
	return diag.Diagnostic{Code: leavesDue, Message: policy + " leaves its rows due",
		Detail: `No step deletes the rows, and no step sets a column that "where", "due" or "keep" reads. ` +
			`The next run would find the same rows again.`,
		Hint: `Add "delete" to "then", or an "update" that sets such a column.`}
}

func LeavesPartitionsDue(policy string) diag.Diagnostic {
	return diag.Diagnostic{Code: leavesDue, Message: policy + " leaves its partitions due",
		Detail: "No step detaches or drops them. The next run would find the same partitions again.",
		Hint:   `Add "detach" or "drop" to "then".`}
}

func IncompleteStep(missing []string) diag.Diagnostic {
	return diag.Diagnostic{Code: incompleteStep,
		Message: fmt.Sprintf(`a step on related rows needs "%s"`, strings.Join(missing, `" and "`)),
		Hint:    `Write {table: app.child, as: c, where: "c.parent_id = t.id"}.`}
}

func EachOutsidePolicy(each string) diag.Diagnostic {
	return diag.Diagnostic{Code: manySchemas, Message: fmt.Sprintf("%q cannot be named here", each),
		Detail: "It stands for many schemas.", Hint: "Name it only in a policy whose own table is in it."}
}

func EachInSQL(each string) diag.Diagnostic {
	return diag.Diagnostic{Code: manySchemas,
		Message: fmt.Sprintf("%q is not only used as a schema in this SQL", each),
		Detail:  "The generator replaces it by the name of the schema, wherever it occurs.",
		Hint:    "Choose other names for columns and aliases, and change texts that contain it."}
}

func EachInName(name, each string) diag.Diagnostic {
	return diag.Diagnostic{Code: manySchemas, Message: fmt.Sprintf("%q contains %q", name, each),
		Detail: fmt.Sprintf("The generator replaces %q by the name of the schema, wherever it occurs.", each),
		Hint:   fmt.Sprintf(`Rename %q under "each", or choose another name.`, each)}
}

func EachCannotHave(policy, what string) diag.Diagnostic {
	return diag.Diagnostic{Code: manySchemas,
		Message: fmt.Sprintf("policy %q for each schema cannot have %s", policy, what),
		Detail:  "Only a migration can create it. Instances for new schemas are created without a migration.",
		Hint:    "Remove it, or write a policy for a single schema."}
}

// AtMostZero is about a window whose upper bound is zero.
var AtMostZero = diag.Diagnostic{Code: contradiction, Message: `"at_most" is zero`,
	Hint: `Write a longer interval. If you mean zero, add "at_least: 0".`}

// Bounds are two bounds of a window or a number. A key is "" for a value that has no key of its
// own.
type Bounds struct {
	Low, High       string // what is written, with its name
	LowKey, HighKey string
	Lower, Higher   string // values that the keys may have
}

func Contradict(b Bounds) diag.Diagnostic {
	low, high := fmt.Sprintf(`"%s: %s"`, b.LowKey, b.Lower), fmt.Sprintf(`"%s: %s"`, b.HighKey, b.Higher)
	hint := fmt.Sprintf("Write %s or %s.", low, high)
	if b.LowKey == "" {
		hint = fmt.Sprintf("Write %s, or a smaller number.", high)
	} else if b.HighKey == "" {
		hint = fmt.Sprintf("Write %s, or a greater number.", low)
	}
	return diag.Diagnostic{Code: contradiction, Message: fmt.Sprintf("%s is greater than %s", b.Low, b.High),
		Hint: hint}
}

func ClockKeyOfPartitions(key string) diag.Diagnostic {
	return diag.Diagnostic{Code: ofPartitions, Message: fmt.Sprintf(`%q is not allowed under "partitions_of"`, key),
		Detail: "The clock of a partition is its upper bound, or its value if the table is partitioned by list.",
		Hint:   "Remove the key."}
}

func RowKeyOfPartitions(key string) diag.Diagnostic {
	return diag.Diagnostic{Code: ofPartitions, Message: fmt.Sprintf(`%q is not allowed under "partitions_of"`, key),
		Detail: "The rows of the policy are partitions.",
		Hint:   `Remove the key, or write a separate policy with "table".`}
}

// Steps that do not fit partitions.
var (
	DropTableOfPartitions = diag.Diagnostic{Code: ofPartitions,
		Message: `"drop_table" is not allowed under "partitions_of"`,
		Detail:  `"drop_table" drops a table that a row names, never an attached partition.`,
		Hint:    `Write "drop" for the partition itself.`}
	AlreadyDropped = diag.Diagnostic{Code: ofPartitions, Message: "the partition is already dropped",
		Detail: "Steps run in the order of the list.", Hint: `Write "drop" once, as the last of these steps.`}
)

func OnlyOfPartitions(verb string) diag.Diagnostic {
	return diag.Diagnostic{Code: ofPartitions, Message: fmt.Sprintf(`%q is only allowed under "partitions_of"`, verb),
		Detail: "The rows of this policy are rows of a table.",
		Hint:   `Write "delete", or "drop_table" for a table that the row names.`}
}

func NotOnPartitions(verb, instead string) diag.Diagnostic {
	return diag.Diagnostic{Code: ofPartitions, Message: fmt.Sprintf("%q cannot be used on partitions", verb),
		Detail: "The rows of the policy are partitions.",
		Hint:   fmt.Sprintf(`Write %q, or name a table with related rows under "table".`, instead)}
}

// ClaimWithoutExpiry is about a claim in a policy with another clock.
var ClaimWithoutExpiry = diag.Diagnostic{Code: claimDoesNotFit,
	Message: `"claim" needs a policy that is due by "expires" on a column, and by nothing else`,
	Detail:  "A claim stores the expiry time of the key in that column.",
	Hint:    "Write due: {expires: {column: expires_at}}."}

func ClaimSetsOwn(column string) diag.Diagnostic {
	return diag.Diagnostic{Code: claimDoesNotFit, Message: fmt.Sprintf(`"set" of a claim cannot set %q`, column),
		Detail: "The claim function itself sets the key and the clock.",
		Hint:   fmt.Sprintf(`Remove %q from "set".`, column)}
}

func TouchSetsKey(key string) diag.Diagnostic {
	return diag.Diagnostic{Code: touchDoesNotFit, Message: fmt.Sprintf(`"set" of a touch cannot set the key %q`, key),
		Hint: "Set the columns that say when the row was last used."}
}

// ReviveNeedsKey takes the key and the alias of the other table's row.
func ReviveNeedsKey(key, as string) diag.Diagnostic {
	return diag.Diagnostic{Code: touchDoesNotFit, Message: fmt.Sprintf(`"set" of "revive" needs the key %q`, key),
		Detail: "The key's value finds the row of the other table.",
		Hint:   fmt.Sprintf("Write {%[1]s: %[2]s.%[1]s, ...}.", key, as)}
}

func AlsoNeedsEmit(key string) diag.Diagnostic {
	return diag.Diagnostic{Code: touchDoesNotFit, Message: fmt.Sprintf(`%q needs "emit"`, key),
		Detail: `"also" says which existing rows emit the event, too.`, Hint: `Add "emit", or remove "also".`}
}

func NameUsed(name string) diag.Diagnostic {
	return diag.Diagnostic{Code: usedTwice, Message: fmt.Sprintf("name %q is already used", name),
		Detail: "It is the name of a join, a related row or an inserted row above.", Hint: "Choose another name."}
}

func ReportNamedLikePolicy(name string, policy diag.Position) diag.Diagnostic {
	return diag.Diagnostic{Code: usedTwice, Message: fmt.Sprintf("report %q has the name of a policy", name),
		Detail: fmt.Sprintf("The policy is at %s. Jobs run policies and reports by name.", policy),
		Hint:   "Choose another name."}
}

// NoScope takes the columns of the policy's own scope.
func NoScope(policy, job, column string, scope []string) diag.Diagnostic {
	d := diag.Diagnostic{Code: noScope, Message: fmt.Sprintf("policy %q of job %q has no scope %q", policy, job,
		column),
		Hint: fmt.Sprintf(`Add "scope: [%s]" to the policy, or remove the policy from the job.`, column)}
	if len(scope) > 0 {
		d.Detail = fmt.Sprintf("The scope of the policy is %s.", listed(scope))
	}
	return d
}

func DocumentWithoutRow(document, row string) diag.Diagnostic {
	return diag.Diagnostic{Code: incompleteCopy, Message: fmt.Sprintf("document %q would not contain the row",
		document),
		Detail: fmt.Sprintf(`"set" replaces the document, and its expression does not read %s.*.`, row),
		Hint: fmt.Sprintf(`Write for example "to_jsonb(%s.*) || jsonb_build_object('by', 'pgretain')", `+
			`or remove the column from "set".`, row)}
}
