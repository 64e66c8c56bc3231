package generator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/policy"
)

// clock is a policy's clock on the alias t: its SQL, its type and what bounds it.
type clock struct {
	expr     sqlText
	typ      string  // of the cutoff variables
	form     string  // how an instant becomes one, "" for as it is
	own      bool    // reads the row's own columns only
	column   string  // "" for an expression
	indexed  sqlText // what an index on it would index, "" when none can be
	latest   sqlText // the latest of the cutoffs: the end of the range; "" for a position without a ceiling
	tiered   sqlText // the cutoff of a row where not all have the same, else ""
	tiersOwn bool
	upTo     sqlText // the greatest value that may be due, "" for none
	mark     sqlText // values up to this one have been worked off, "" for no watermark
	key      sqlText // whether a value is a key of the encoding at all: others have no instant; "" where all are
	source   *policy.Clock
}

// clockOf compiles a clock; number tells the cutoffs of several clocks apart.
func (w *work) clockOf(source *policy.Clock, number int) *clock {
	k := &clock{source: source, own: true, tiersOwn: true}
	columnType := w.clockColumn(k, source)
	if columnType == "" {
		return nil
	}
	if source.Kind == "position" {
		k.typ = columnType
		w.ceiling(k, number)
		w.markOf(k)
		return k
	}
	form, typ := w.clockForm(source, columnType)
	if form == "" && typ == "" {
		return nil
	}
	k.typ, k.form = typ, form
	if kind := source.Encoding.Kind; !w.policy.Partitions && (kind == "uuidv7" || kind == "ulid" && typ == "text") {
		k.key = fragment("a "+kind, k.expr)
	}
	w.ceiling(k, number)
	w.windowOf(k, source, form, number)
	return k
}

// clockColumn fills in where the clock is read and returns its type, "" when that is not known.
func (w *work) clockColumn(k *clock, source *policy.Clock) string {
	if source.Expression != nil {
		return w.clockExpression(k, source)
	}
	column := w.table.Column(source.Column)
	if column == nil {
		w.refuse(source.ColumnPos, codeNoColumn, fmt.Sprintf("table %q has no column %q", tableName(w.table), source.Column),
			didYouMean(source.Column, columnNames(w.table)))
		return ""
	}
	if column.Collation != "" && source.Encoding.Kind == "ulid" {
		w.refuse(source.ColumnPos, codeClockType, fmt.Sprintf("a ULID does not sort by time under collation %s", column.Collation),
			fmt.Sprintf(`ALTER TABLE %s ALTER COLUMN %s TYPE %s COLLATE "C", and run "pgretain snapshot".`, qualified(w.table), ident(column.Name), column.Type))
		return ""
	}
	k.column = column.Name
	k.expr = fragment("t column", ident(column.Name))
	if !column.Virtual {
		k.indexed = sqlText(ident(column.Name).String())
	}
	return column.Type
}

var (
	castAtEnd = regexp.MustCompile(`(?i)::\s*([a-z][a-z0-9_ ]*(?:\(\d+\))?)\s*$`)
	plainPick = regexp.MustCompile(`(?i)^\s*(coalesce|greatest|least)\s*\(\s*[a-z_][a-z0-9_]*(\s*,\s*[a-z_][a-z0-9_]*)*\s*\)\s*$`)
)

func (w *work) clockExpression(k *clock, source *policy.Clock) string {
	e := *source.Expression
	parsed, ok := w.parse(e)
	if !ok {
		return ""
	}
	k.expr = enclosed(w.bind(e))
	k.own = ownColumnsOnly(parsed.parsed)
	if plainPick.MatchString(e.SQL) && w.indexable(parsed.parsed) {
		k.indexed = enclosed(sqlText(oneLine(e.SQL)))
	}
	if found := castAtEnd.FindStringSubmatch(e.SQL); found != nil {
		return formatType(found[1])
	}
	if typ := w.joinedType(e.SQL); typ != "" {
		return typ
	}
	types := w.columnTypes(parsed, source.Encoding.Kind != "")
	if len(types) == 1 && (types[0] != "date" || plainPick.MatchString(e.SQL)) {
		return types[0]
	}
	w.refuse(e.Position, codeClockType, "the type of this clock cannot be told from its text",
		"End it with a cast, for example \"(...)::timestamptz\".")
	return ""
}

// joinedType is the type of an expression that is one column of a joined table, "" otherwise.
func (w *work) joinedType(sql string) string {
	alias, name, ok := strings.Cut(sql, ".")
	table := w.aliases[alias]
	if !ok || table == nil || table.Column(name) == nil {
		return ""
	}
	return table.Column(name).Type
}

// columnTypes lists the types of the row's columns that can hold an instant, each once.
func (w *work) columnTypes(e bound, encoded bool) []string {
	var types []string
	for _, ref := range e.parsed.Columns {
		column := w.table.Column(ref.Fields[len(ref.Fields)-1])
		if column != nil && !slices.Contains(types, column.Type) && (encoded || isInstant(column.Type)) {
			types = append(types, column.Type)
		}
	}
	return types
}

func isInstant(typ string) bool {
	return strings.HasPrefix(typ, "timestamp") || typ == "date"
}

// clockForm says how a cutoff becomes a value of the clock's type: the name of a fragment, and
// the type of the variable. No "real": it tells instants only 128 seconds apart, and would be
// another value once it was compared with a double precision one.
func (w *work) clockForm(source *policy.Clock, columnType string) (form, typ string) {
	base := argumentType(columnType)
	number := map[string]string{"smallint": "bigint", "integer": "bigint", "bigint": "bigint",
		"numeric": "numeric", "double precision": "double precision"}[base]
	text := base == "text" || base == "character varying" || base == "character"
	switch kind := source.Encoding.Kind; {
	case kind == "" && base == "timestamp with time zone":
		return "", "timestamptz"
	case kind == "" && base == "timestamp without time zone":
		return "as timestamp", "timestamp"
	case kind == "" && base == "date":
		return "as date", "date"
	case kind == "epoch_s" && number != "", kind == "epoch_ms" && number != "":
		return "as " + kind + " " + number, number
	case kind == "snowflake" && number == "bigint":
		return "as snowflake bigint", "bigint"
	case (kind == "uuidv7" || kind == "ulid") && base == "uuid":
		return "as " + kind + " uuid", "uuid"
	case kind == "ulid" && text:
		return "as ulid text", "text"
	case kind == "uuidv7" && text:
		// Text compares by its letters, and UUIDs may be written in either case.
		w.refuse(source.ColumnPos, codeClockType, fmt.Sprintf("a UUID of type %q does not sort by time", columnType),
			"Make the column uuid, or write expression: \"(column)::uuid\".")
		return "", ""
	case kind == "":
		w.refuse(source.ColumnPos, codeClockType, fmt.Sprintf("type %q holds no instant by itself", columnType),
			"Say how it is encoded: encoding: epoch_s, epoch_ms, uuidv7, ulid or {snowflake: {shift, epoch}}.")
	default:
		w.refuse(source.Encoding.Position, codeClockType, fmt.Sprintf("encoding %q does not go with type %q", kind, columnType),
			"epoch_s and epoch_ms go with numbers, snowflake with bigint, uuidv7 and ulid with uuid and text, dates and timestamps with none.")
	}
	return "", ""
}

// condition is when the clock says that a row is due, on t: exact, tiers and rows without an instant included.
func (k *clock) condition() []sqlText {
	if k.source.NullsDue {
		return []sqlText{either([]sqlText{every(k.exact()), k.none()})}
	}
	return k.exact()
}

// none is when a row has no instant.
func (k *clock) none() sqlText {
	if k.key != "" {
		return fragment("is not true", k.key)
	}
	return fragment("is null", k.expr)
}

// bounds are the conditions that an index on the clock serves.
func (k *clock) bounds() []sqlText {
	bounds := k.ends()
	if k.mark != "" {
		bounds = append(bounds, fragment("newer", struct{ Clock, Mark sqlText }{k.expr, k.mark}))
	}
	if len(bounds) == 0 {
		bounds = append(bounds, fragment("is not null", k.expr))
	}
	return bounds
}

// ends are the upper bounds of the range.
func (k *clock) ends() []sqlText {
	var ends []sqlText
	if k.latest != "" {
		ends = append(ends, fragment("older", k.comparison(k.latest)))
	}
	if k.upTo != "" {
		ends = append(ends, fragment("up to", struct{ Clock, Mark sqlText }{k.expr, k.upTo}))
	}
	return ends
}

func (k *clock) comparison(cutoffText sqlText) any {
	return struct {
		Clock, Cutoff sqlText
		Inclusive     bool
	}{k.expr, cutoffText, k.source.Inclusive}
}

// exact is when the clock says that a row is due, for a pass that leaves rows without an instant to another one.
func (k *clock) exact() []sqlText {
	exact := k.bounds()
	if k.tiered != "" {
		exact = append(exact, fragment("older", k.comparison(k.tiered)))
	}
	if k.key != "" {
		exact = append(exact, k.key)
	}
	return exact
}
