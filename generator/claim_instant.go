package generator

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// instants are now and the end of the claim in the clock's own type, such that the policy does not
// find the entry due before that end; "" for one that an instant is already.
func (w *work) instants(c *policy.Claim, k *clock, column *catalog.Column) (now, expires sqlText, ok bool) {
	form, _ := w.clockForm(k.source, column.Type)
	known := form == "" || form == "as timestamp" || form == "as date" || strings.HasPrefix(form, "as epoch")
	if column.Generated || !known {
		w.refuse(c.Position, codeApplication, fmt.Sprintf("no claim can be written into clock %q", column.Name),
			"It must be a date, a timestamp, or a number of seconds or milliseconds, and not generated.")
		return "", "", false
	}
	if form != "" {
		now = w.converted(w.asOf, k.source, form)
		expires = fragment("expires "+form, struct {
			Schema    string
			Zone      literal
			Inclusive bool
			Scale     string // what makes a whole number of the column's last place, "" where it keeps all places
		}{w.schema(), literal(w.file.Install.TimeZone), k.source.Inclusive, scaleOf(column.Type, k.typ)})
	}
	return now, toPrecision(expires, column.Type, k.typ), true
}

var (
	scaled  = regexp.MustCompile(`^numeric\([0-9]+,([0-9]+)\)$`)
	rounded = regexp.MustCompile(`^timestamp\(([0-5])\)`)
)

func scaleOf(columnType, typ string) string {
	if found := scaled.FindStringSubmatch(columnType); found != nil && typ == "numeric" {
		places, _ := strconv.Atoi(found[1]) // digits
		return "1" + strings.Repeat("0", places)
	}
	return ""
}

// toPrecision rounds up what a column of few decimal places would round to the nearest.
func toPrecision(value sqlText, columnType, typ string) sqlText {
	found := rounded.FindStringSubmatch(columnType)
	if found == nil || typ != "timestamptz" && typ != "timestamp" {
		return value
	}
	if value == "" {
		value = "v_until"
	}
	step := map[string]string{"0": "1 second", "1": "100 ms", "2": "10 ms", "3": "1 ms", "4": "100 us", "5": "10 us"}[found[1]]
	return fragment("expires to precision", struct {
		Value sqlText
		Step  string
	}{value, step})
}
