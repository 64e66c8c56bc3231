package messages

import (
	"fmt"
	"strings"

	"pgretain/internal/diag"
)

// The codes of files that cannot be read: YAML, keys, names and values.
var (
	notYAML        = diag.Declare("P001", "", "file is not valid YAML")
	unknownKey     = diag.Declare("P002", "", "unknown key")
	writtenTwice   = diag.Declare("P003", "", "key is written twice")
	wrongType      = diag.Declare("P004", "", "value is of the wrong type")
	keyMissing     = diag.Declare("P005", "", "required key is missing")
	invalidName    = diag.Declare("P007", "", "invalid name")
	reservedName   = diag.Declare("P008", "", "reserved name")
	unknownVersion = diag.Declare("P009", "", "unknown version of the policy language")
	invalidTable   = diag.Declare("P010", "", "invalid table, column or schema name")
	outOfRange     = diag.Declare("P019", "", "number is out of range")
	noChoice       = diag.Declare("P020", "", "value is not one of the choices")
	noDuration     = diag.Declare("P021", "", "invalid duration")
	noFraction     = diag.Declare("P022", "", "invalid fraction")
	noSchedule     = diag.Declare("P023", "", "invalid schedule")
	noZone         = diag.Declare("P024", "", "unknown time zone")
	listedTwice    = diag.Declare("P026", "", "name is listed twice")
	noSuppression  = diag.Declare("P048", "", "invalid suppression")
	notSuppressed  = diag.Declare("P049", "", "check cannot be suppressed")
)

// Faults of the YAML.
var (
	SecondDocument = diag.Diagnostic{Code: notYAML, Message: "the file has a second YAML document",
		Hint: `Keep everything in one document, and remove the line "---".`}
	RefusedCharacter = diag.Diagnostic{Code: notYAML, Message: "the file contains a character that is not allowed",
		Detail: "Not allowed are bytes that are not UTF-8, control characters, line separators " +
			"and invisible characters.",
		Hint: `Save the file as UTF-8 and remove the character. ` +
			`In SQL write it as an escape: U&'\202e', E'\x07'.`}
	EmptyFile = diag.Diagnostic{Code: notYAML, Message: "the file is empty", Hint: `Begin with "version: 1".`}
)

// HiddenCharacter takes the number of spaces in a row that are allowed.
func HiddenCharacter(mostBlanks int) diag.Diagnostic {
	return diag.Diagnostic{Code: notYAML,
		Message: fmt.Sprintf("a text contains an invisible character, or more than %d spaces in a row", mostBlanks),
		Hint: `Remove them. In SQL write the character as an escape: U&'\202e', E'\x07'. ` +
			`Write the spaces as repeat(' ', 200).`}
}

func UnknownAnchor(name string) diag.Diagnostic {
	return diag.Diagnostic{Code: notYAML, Message: fmt.Sprintf("unknown anchor %q", name),
		Hint: `Define the anchor with "&" above its first use.`}
}

// syntax has the YAML library's syntax errors, in plain words.
var syntax = []struct{ says, message, hint string }{
	{"mapping values are not allowed", "a key and its value are not allowed here",
		`Check the indentation, and put a text that contains ": " in quotes.`},
	{"did not find expected ',' or ']'", "a list in brackets is not closed",
		`Close the list with "]", and put commas between its items.`},
	{"did not find expected ',' or '}'", "a map in braces is not closed",
		`Close the map with "}", and put commas between its keys.`},
	{"unexpected end of stream", "a quoted text is not closed", "Add the closing quote."},
	{"cannot start any token", "a value begins with a character that YAML reserves",
		"Put the value in quotes, and indent with spaces, not tabs."},
	{"tab character", "a line is indented with a tab", "Indent with spaces."},
	{"unknown escape character", "a double-quoted text contains an unknown escape",
		`Write a backslash as "\\", or use single quotes.`},
	{"could not find expected ':'", "a key has no colon", "Write the key, a colon and a space."},
	{"did not find expected key", "a key is missing here", "Check the indentation."},
	{"expected '-' indicator", `a line in a list does not begin with "- "`,
		`Start each item of the list with "- ", at the same indentation.`},
	{"", "this is not valid YAML", "Check the line and the one above it."},
}

// InvalidSyntax takes the error of the YAML library.
func InvalidSyntax(says string) diag.Diagnostic {
	i := 0
	for !strings.Contains(says, syntax[i].says) {
		i++
	}
	return diag.Diagnostic{Code: notYAML, Message: syntax[i].message, Hint: syntax[i].hint}
}

func UnknownKey(name, in string, known []string) diag.Diagnostic {
	return diag.Diagnostic{Code: unknownKey, Message: fmt.Sprintf("unknown key %q in %s", name, in),
		Detail: fmt.Sprintf("Allowed here: %s.", listed(known)), Hint: DidYouMean(name, known)}
}

func UnknownStep(name string, known []string) diag.Diagnostic {
	return diag.Diagnostic{Code: unknownKey, Message: fmt.Sprintf("unknown step %q", name),
		Detail: fmt.Sprintf("Steps: %s.", listed(known)), Hint: DidYouMean(name, known)}
}

func KeyTwice(key, in string, first diag.Position) diag.Diagnostic {
	return diag.Diagnostic{Code: writtenTwice, Message: fmt.Sprintf("key %q is written twice in %s", key, in),
		Detail: fmt.Sprintf("The first one is at %s.", first)}
}

func ColumnTwice(column string, first diag.Position) diag.Diagnostic {
	return diag.Diagnostic{Code: writtenTwice, Message: fmt.Sprintf("column %q already has a value", column),
		Detail: fmt.Sprintf("The first value is at %s.", first)}
}

func CopiedTwice(column string, first diag.Position) diag.Diagnostic {
	return diag.Diagnostic{Code: writtenTwice, Message: fmt.Sprintf("column %q is already copied", column),
		Detail: fmt.Sprintf("The first copy is at %s.", first), Hint: `Write the second copy under "set".`}
}

func WrongType(what, wanted, got string) diag.Diagnostic {
	d := diag.Diagnostic{Code: wrongType, Message: fmt.Sprintf("%s must be %s, not %s", what, wanted, got)}
	switch wanted {
	case "a map":
		d.Hint = `Write {NAME: VALUE}, or "NAME: VALUE" on a line below.`
	case "a list":
		d.Hint = `Write [VALUE], or "- VALUE" on a line below.`
	}
	return d
}

func MergesNoMap(kind string) diag.Diagnostic {
	return diag.Diagnostic{Code: wrongType, Message: fmt.Sprintf(`"<<" merges maps, not %s`, kind),
		Hint: "Name an anchor, for example <<: *base."}
}

func KeyIsNoName(kind string) diag.Diagnostic {
	return diag.Diagnostic{Code: wrongType, Message: fmt.Sprintf("a key must be a name, not %s", kind),
		Hint: "Put the name in quotes."}
}

func Tagged(tag string) diag.Diagnostic {
	return diag.Diagnostic{Code: wrongType, Message: "a YAML tag is not allowed here",
		Hint: fmt.Sprintf("Remove %q.", tag)}
}

func ContainsNul(what string) diag.Diagnostic {
	return diag.Diagnostic{Code: wrongType, Message: fmt.Sprintf("%s contains a NUL character", what),
		Detail: "A text in PostgreSQL cannot contain NUL.", Hint: `Remove "\0".`}
}

func DateNotExpression(what, text string) diag.Diagnostic {
	return diag.Diagnostic{Code: wrongType, Message: fmt.Sprintf("%s must be an SQL expression, not a date", what),
		Hint: fmt.Sprintf(`Add SQL's quotes inside the YAML quotes: "'%s'".`, text)}
}

// Keys that are missing.
var (
	NoPolicy = diag.Diagnostic{Code: keyMissing, Message: "the file has no policy", Hint: "Write at least one policy."}

	PositionNeedsEnd = diag.Diagnostic{Code: keyMissing, Message: `"position" needs "up_to" or "watermark"`,
		Detail: "Without both, every row would be due.",
		Hint: `Write the last position that is due under "up_to", ` +
			`or the table that stores the position under "watermark".`}
	SinceNeedsEncoding = diag.Diagnostic{Code: keyMissing, Message: `"since" needs "encoding"`,
		Detail: `"since" is the first day that a value of an encoding can mean.`,
		Hint:   `Write a condition on the column in "where", or remove "since".`}
	SnowflakeNeedsKeys = diag.Diagnostic{Code: keyMissing, Message: `"snowflake" needs the keys "shift" and "epoch"`,
		Hint: "Write {snowflake: {shift: 22, epoch: 1288834974657}}."}
	InsertNeedsKeys = diag.Diagnostic{Code: keyMissing, Message: `"insert" needs "key", "per" or "set"`,
		Detail: "Without these keys the step has no values to write."}
	EmptyStage = diag.Diagnostic{Code: keyMissing, Message: "the stage has no databases",
		Hint: `Name the databases under "databases", or write a query under "found".`}
)

func NeedsKey(in, key string) diag.Diagnostic {
	return diag.Diagnostic{Code: keyMissing, Message: fmt.Sprintf("%s needs the key %q", in, key)}
}

func NeedsEither(in, first, second string) diag.Diagnostic {
	return diag.Diagnostic{Code: keyMissing, Message: needsEither(in, first, second)}
}

func needsEither(in, first, second string) string {
	return fmt.Sprintf("%s needs either %q or %q", in, first, second)
}

func EmptyList(name string) diag.Diagnostic {
	return diag.Diagnostic{Code: keyMissing, Message: fmt.Sprintf("%q is empty", name),
		Hint: "Write at least one item."}
}

func EmptyDue(what string) diag.Diagnostic {
	return diag.Diagnostic{Code: keyMissing, Message: what + " is empty",
		Hint: "Write one of age, expires, position and beyond."}
}

// BareStep takes the verb of a step that needs a value.
func BareStep(verb string) diag.Diagnostic {
	needs := "an expression that names a table"
	if verb == "sql" {
		needs = `an SQL statement over "batch"`
	}
	return diag.Diagnostic{Code: keyMissing, Message: fmt.Sprintf("%q needs %s", verb, needs)}
}

func ChangeNeedsKey(key string) diag.Diagnostic {
	return diag.Diagnostic{Code: keyMissing, Message: fmt.Sprintf(`%q needs "key"`, key),
		Detail: "It changes an existing row, and the key finds that row.",
		Hint:   `Write the columns that identify the row under "key".`}
}

// Word is a text in a policy file that breaks a rule. What is the kind of thing that it names, for
// example "role".
type Word struct{ What, Key, Text string }

func InvalidOwnName(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidName, Message: fmt.Sprintf("invalid %s name %q", w.What, w.Text),
		Hint: "Use lower-case letters, digits and underscores, and begin with a letter."}
}

func LongName(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidName, Message: fmt.Sprintf("%s name %q is too long", w.What, w.Text),
		Hint: "Use at most 40 characters."}
}

func InvalidSystemName(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidName, Message: fmt.Sprintf("invalid %s name %q", w.Key, w.Text),
		Hint: "Use at most 50 lower-case letters, digits and underscores, and begin with a letter."}
}

func InvalidEachName(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidName, Message: fmt.Sprintf(`%q does not begin with "each_"`, w.Text),
		Detail: "The generator replaces this name by the name of a schema, wherever the policy contains it.",
		Hint:   "Choose a name such as each_tenant, and write it here and as the schema of tables: each_tenant.item."}
}

func InvalidDirectory(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidName, Message: fmt.Sprintf("invalid directory %q", w.Text),
		Hint: `Write a path without line breaks, for example "db/migrations".`}
}

func InvalidDatabase(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidName, Message: fmt.Sprintf("invalid database name %q", w.Text),
		Hint: "Write a name of 1 to 63 bytes, without a line break."}
}

func InvalidFleetName(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidName, Message: fmt.Sprintf("invalid name %q of a database", w.Text),
		Hint: "Use letters, digits, underscores, dots and hyphens."}
}

func InvalidEvent(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidName, Message: fmt.Sprintf("invalid event name %q", w.Text),
		Hint: "Use at most 63 lower-case letters, digits and underscores. Words may be separated by dots."}
}

func InvalidPayloadKey(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidName, Message: fmt.Sprintf("invalid payload key %q", w.Text),
		Hint: "Use at most 63 letters, digits, underscores, dots and hyphens, and begin with a letter."}
}

// Reserved lists the names that have a meaning in expressions. "hold" is the guard that every
// policy has. "passed" counts the rows whose step condition is not true.
var Reserved = []string{"t", "batch", "keep", "run", "as_of", "hold", "passed"}

// ReservedBatch is about a WITH query of that name.
var ReservedBatch = diag.Diagnostic{Code: reservedName, Message: `name "batch" is reserved`,
	Detail: `"batch" is the relation that holds the rows of the batch.`, Hint: "Choose another name after WITH."}

func ReservedOwnName(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: reservedName, Message: fmt.Sprintf("%s name %q is reserved", w.What, w.Text),
		Detail: fmt.Sprintf("Reserved: %s.", listed(Reserved)), Hint: "Choose another name."}
}

func ReservedAlias(alias string) diag.Diagnostic {
	return diag.Diagnostic{Code: reservedName, Message: fmt.Sprintf("alias %q is reserved", alias),
		Detail: fmt.Sprintf("Reserved: %s.", listed(Reserved)), Hint: "Choose another alias."}
}

func ReservedSystemName(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: reservedName, Message: fmt.Sprintf("%s name %q is reserved", w.Key, w.Text),
		Hint: "Choose another name."}
}

func RuntimeSchema(schema string) diag.Diagnostic {
	return diag.Diagnostic{Code: reservedName,
		Message: fmt.Sprintf("table of the policy is in the runtime's schema %q", schema),
		Detail:  "Migrations revoke all privileges on this schema from other roles.",
		Hint:    "Name another schema under install.schema."}
}

func ReservedRole(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: reservedName, Message: fmt.Sprintf("role %q is reserved", w.Text),
		Hint: "Name the roles that may execute the function."}
}

func ReservedPathSchema(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: reservedName, Message: fmt.Sprintf(`schema %q is not allowed in "search_path"`,
		w.Text),
		Detail: "The generator puts pg_catalog first and pg_temp last.", Hint: "Name ordinary schemas only."}
}

func ReservedCoveredSchema(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: reservedName, Message: fmt.Sprintf(`schema %q is not allowed in "schemas"`, w.Text),
		Detail: "It is a system schema of PostgreSQL.", Hint: "Name the schemas of your own tables."}
}

func ReservedRelation(name string) diag.Diagnostic {
	return diag.Diagnostic{Code: reservedName, Message: fmt.Sprintf("name %q is reserved without a schema", name),
		Detail: "The generated SQL uses this name for a relation of its own.", Hint: "Write the table with its schema."}
}

var UnknownVersion = diag.Diagnostic{Code: unknownVersion, Message: "version must be 1",
	Detail: "This program reads version 1 of the policy language only.", Hint: `Write "version: 1".`}

// InvalidSQLName takes whether the name is too long.
func InvalidSQLName(text, what string, long bool) diag.Diagnostic {
	d := diag.Diagnostic{Code: invalidTable, Message: fmt.Sprintf("%q is not a valid %s name", text, what),
		Hint: `Write the name as in SQL. Put a name with capital letters or spaces, or a reserved word, ` +
			`in double quotes inside the YAML text: '"createdAt"'.`}
	if long {
		d.Detail = "A name has at most 63 bytes."
	}
	return d
}

func InvalidPattern(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidTable, Message: fmt.Sprintf("invalid pattern %q", w.Text),
		Detail: `A pattern consists of lower-case letters, digits, underscores and "*". ` +
			`"*" matches any text and cannot be first.`,
		Hint: `Write a pattern such as "tenant_*".`}
}

func InvalidPlainSchema(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidTable, Message: fmt.Sprintf("invalid schema name %q", w.Text),
		Detail: "Only a name that needs no quotes in SQL is allowed here.",
		Hint:   "Use lower-case letters, digits and underscores."}
}
