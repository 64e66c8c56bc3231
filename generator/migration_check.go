package generator

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// check refuses what could not be read back, or what a migration tool would read differently.
func check(l tool, o Object) []error {
	var errs []error
	refuse := func(kind error, message, hint string) {
		errs = append(errs, &ObjectError{Kind: kind, Object: o, Message: message, Hint: hint})
	}
	if rank(o.Kind) < 0 || (o.As != AsMigrator && o.As != AsOwner && o.As != AsWorker && o.As != AsRunner) {
		refuse(ErrText, fmt.Sprintf("unknown kind %q or role %q", o.Kind, o.As), "")
	}
	if !utf8.ValidString(o.Name) || o.Name == "" {
		refuse(ErrText, "the name is empty or not valid UTF-8", "")
	}
	if o.SQL == "" {
		refuse(ErrText, "nothing to execute", "")
	}
	if o.Kind == KindIndex && o.As != AsMigrator {
		refuse(ErrText, "an index can only be built as the migrating role", "")
	}
	for _, text := range []string{o.SQL, o.Drop} {
		if message := checkText(text, o.Kind); message != "" {
			refuse(ErrText, message, "")
		} else if message := l.refusal(text, o.Kind == KindIndex); message != "" {
			refuse(ErrText, message, fmt.Sprintf("Write it in another way; the files are for %s.", l.format))
		}
	}
	return errs
}

// checkText says what is wrong with a text of an object, "" when nothing is.
func checkText(text string, kind Kind) string {
	if text == "" {
		return ""
	}
	if !strings.HasSuffix(text, "\n") || !utf8.ValidString(text) || strings.Contains(text, "\r") || strings.Contains(text, "\x00") {
		return "text is not UTF-8 with LF line ends, a last one included"
	}
	if at := strings.Index(text, "\n"+ourPrefix) + 1; at > 0 || strings.HasPrefix(text, ourPrefix) {
		line, _, _ := strings.Cut(text[at:], "\n")
		return fmt.Sprintf("line %q would be a marker of ours", strings.TrimSpace(line))
	}
	if !hasStatement(text) {
		return "text holds nothing but comments"
	}
	if kind == KindIndex {
		for _, statement := range statements(text) {
			if !hasStatement(statement) {
				return "an empty statement stands before or after a \"-- next\" line"
			}
		}
	}
	return ""
}

// hasStatement says whether text is more than line comments and blanks.
func hasStatement(text string) bool {
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed != "" && !strings.HasPrefix(trimmed, "--") {
			return true
		}
	}
	return false
}

// checkUpgrade refuses to change what holds data or is used by columns: replacing a table or a
// type is never a matter of running its definition again. An upgrade that ran has run.
func checkUpgrade(c change) []error {
	o := c.object()
	if c.before == nil || (o.Kind != KindTable && o.Kind != KindType && o.Kind != KindUpgrade) {
		return nil
	}
	what := "differs from what the migrations install"
	if c.after == nil {
		what = "is no longer wanted"
	}
	return []error{&ObjectError{
		Kind: ErrUpgrade, Object: *o, Message: what + ": needs an upgrade migration",
		Hint: "Use the pgretain version that wrote the migrations, or one that brings the upgrade. " +
			"To remove everything, run \"pgretain migrate down --all\".",
	}}
}
