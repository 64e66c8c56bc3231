package messages

import (
	"fmt"
	"time"

	"pgretain/internal/diag"
)

func NotWhole(text string) diag.Diagnostic {
	return diag.Diagnostic{Code: outOfRange, Message: fmt.Sprintf("%q is not a plain whole number", text),
		Hint: "Write decimal digits only, for example 5000."}
}

func NotNumber(text string) diag.Diagnostic {
	return diag.Diagnostic{Code: outOfRange, Message: fmt.Sprintf("%q is not a plain number", text),
		Hint: "Write decimal digits only. To write an SQL expression, put it in quotes."}
}

func OutOfRange(name string, number, low, high int64) diag.Diagnostic {
	return diag.Diagnostic{Code: outOfRange, Message: fmt.Sprintf("%s %d is out of range", name, number),
		Hint: fmt.Sprintf("Write a number from %d to %d.", low, high)}
}

func InvalidRate(text string) diag.Diagnostic {
	return diag.Diagnostic{Code: outOfRange, Message: fmt.Sprintf("invalid rate %q", text),
		Hint: "Write a number and one of kB/s, MB/s, GB/s, for example 64MB/s."}
}

func InvalidDate(text string) diag.Diagnostic {
	return diag.Diagnostic{Code: outOfRange, Message: fmt.Sprintf("%q is not a date", text),
		Hint: "Write year, month and day, for example since: 2015-01-31."}
}

// Ranks with no row among the first.
var (
	FirstNone = diag.Diagnostic{Code: outOfRange, Message: "first 0 is out of range",
		Detail: "No row would be among the first.",
		Hint:   "Write a number from 1 to 1000000000. If you mean zero, write {count: 0, at_least: 0}."}
	FirstZero = diag.Diagnostic{Code: outOfRange, Message: `"first" is zero`,
		Detail: "No row would be among the first.",
		Hint:   `Write a higher number. If you mean zero, add "at_least: 0".`}
)

func NoChoice(name, key string, known []string) diag.Diagnostic {
	return diag.Diagnostic{Code: noChoice, Message: fmt.Sprintf("%q is not a value of %q", name, key),
		Detail: fmt.Sprintf("Choices: %s.", listed(known)), Hint: DidYouMean(name, known)}
}

func NoRoles(text string) diag.Diagnostic {
	return diag.Diagnostic{Code: noChoice, Message: fmt.Sprintf(`%q is not a value of "roles"`, text),
		Hint: `Write "none", or a map with owner, worker, runner, operator and viewer.`}
}

func SharedWorker(worker string) diag.Diagnostic {
	return diag.Diagnostic{Code: noChoice, Message: fmt.Sprintf("role %q is both the worker and another role", worker),
		Detail: "The worker evaluates the expressions of policies. It must not have the privileges of another role.",
		Hint:   `Name a separate role under "worker".`}
}

func InvalidConnection(fault, hint string) diag.Diagnostic {
	return diag.Diagnostic{Code: noChoice, Message: fault, Hint: hint}
}

func InvalidDuration(text string) diag.Diagnostic {
	return diag.Diagnostic{Code: noDuration, Message: fmt.Sprintf("invalid duration %q", text),
		Hint: "Write a number and one of ms, s, min, h, for example 100ms."}
}

func DurationOutOfRange(text string, low time.Duration) diag.Diagnostic {
	return diag.Diagnostic{Code: noDuration, Message: fmt.Sprintf("duration %q is out of range", text),
		Hint: fmt.Sprintf("Write a duration from %s to 24h.", low)}
}

func InvalidFraction(text string) diag.Diagnostic {
	return diag.Diagnostic{Code: noFraction, Message: fmt.Sprintf("invalid fraction %q", text),
		Hint: "Write a number above 0 and at most 1, for example 0.5 or 50%."}
}

// InvalidSchedule takes what is wrong with the schedule, as a sentence.
func InvalidSchedule(text, fault string) diag.Diagnostic {
	return diag.Diagnostic{Code: noSchedule, Message: fmt.Sprintf("invalid schedule %q", text), Detail: fault,
		Hint: `Write five fields (minute, hour, day of the month, month, day of the week), ` +
			`or a word such as @hourly, or "30 seconds".`}
}

func UnknownZone(name string) diag.Diagnostic {
	return diag.Diagnostic{Code: noZone, Message: fmt.Sprintf("unknown time zone %q", name),
		Hint: `Write a name of the time zone database, for example "Europe/Berlin" or "UTC".`}
}

func ListedTwice(what, name, list string) diag.Diagnostic {
	return diag.Diagnostic{Code: listedTwice, Message: fmt.Sprintf("%s %q is listed twice in %q", what, name, list)}
}

func DatabaseTwice(name string, first diag.Position) diag.Diagnostic {
	return diag.Diagnostic{Code: listedTwice, Message: fmt.Sprintf("database %q is listed twice", name),
		Detail: fmt.Sprintf("The first one is at %s.", first)}
}

func SuppressionDay(text string) diag.Diagnostic {
	return diag.Diagnostic{Code: noSuppression, Message: fmt.Sprintf("%q is not a date", text),
		Detail: "A suppression ends at the end of that day.",
		Hint:   "Write year, month and day, for example until: 2027-01-31."}
}

func SuppressionCheck(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: noSuppression, Message: fmt.Sprintf("%q is not the code of a check", w.Text),
		Hint: "Write the code of a finding, for example check: V020."}
}

func SuppressionReason(Word) diag.Diagnostic {
	return diag.Diagnostic{Code: noSuppression, Message: "the suppression has no reason",
		Hint: "Write why the finding is not a fault."}
}

func SuppressionObject(Word) diag.Diagnostic {
	return diag.Diagnostic{Code: noSuppression, Message: "the suppression names no object",
		Hint: `Copy the name from "object" in the output of pgretain verify --format json.`}
}

func SuppressedFileError(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: notSuppressed, Message: fmt.Sprintf("%q cannot be suppressed", w.Text),
		Detail: "It is an error of the policy file.", Hint: "Correct the error, and remove the item."}
}

func SuppressedSight(w Word) diag.Diagnostic {
	return diag.Diagnostic{Code: notSuppressed, Message: fmt.Sprintf("%q cannot be suppressed", w.Text),
		Detail: "The check reports that something could not be checked, or that a suppression has no effect.",
		Hint:   "Remove the item."}
}
