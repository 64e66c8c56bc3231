package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/lists"
)

// calls are the verbs that are one call of a function of the runtime. Their statements, sql/<verb>.sql, have the verb's
// arguments as parameters, then the flags that stand here, all as text or NULL.
var calls = map[string]struct {
	flags string
	reads bool   // changes nothing, and works on a standby
	none  string // what to say where there is no row
}{
	"accept":  {flags: "reason rows"},
	"pause":   {flags: "reason"},
	"resume":  {},
	"window":  {flags: "reason"},
	"hold":    {flags: "reason until"},
	"holds":   {reads: true, none: "no holds are in force"},
	"release": {flags: "reason"},
	"restore": {flags: "hold-until"},
	"why":     {flags: "as-of", reads: true, none: "the table has no such row"},
	"adopt":   {flags: "reason"},
	"settle":  {},
}

// call executes the statement of a verb and prints its answer, as a table or as JSON.
func (c *console) call(ctx context.Context, args []string) error {
	verb := c.command.Name()
	k := calls[verb]
	var parameters []any
	for _, word := range strings.Fields(c.command.Use)[1:] {
		switch {
		case strings.HasSuffix(word, "...]"): // COLUMN=VALUE, the last
			object, err := columnValues(args)
			if err != nil {
				return err
			}
			parameters = append(parameters, orNull(object))
		case strings.HasPrefix(word, "COLUMN="): // with those that follow
		case len(args) == 0:
			parameters = append(parameters, nil)
		default:
			parameters, args = append(parameters, args[0]), args[1:]
		}
	}
	for _, name := range strings.Fields(k.flags) {
		parameters = append(parameters, orNull(c.command.Flag(name).Value.String()))
	}
	return c.with(ctx, !k.reads, func(s *session) error {
		text, objects, err := s.answer(ctx, verb, parameters...)
		switch {
		case err != nil:
			return err
		case c.JSON:
			return c.document("verb", verb, "rows", objects)
		case len(objects) == 0:
			text = k.none + "\n"
		}
		c.aligned(text)
		return nil
	})
}

// columnValues makes a JSON object of COLUMN=VALUE, with values as text: their types read them. None is "".
func columnValues(args []string) (string, error) {
	if len(args) == 0 {
		return "", nil
	}
	values := map[string]string{}
	for _, arg := range args {
		column, value, found := strings.Cut(arg, "=")
		_, twice := values[column]
		switch {
		case !found || column == "":
			return "", usagef("%q is not COLUMN=VALUE", arg)
		case twice:
			return "", usagef("column %q is given twice", column)
		}
		values[column] = value
	}
	object, err := json.Marshal(values)
	return string(object), err
}

// answer is what a statement answers, as rows of a table under the names of its columns, and as objects.
func (s *session) answer(ctx context.Context, name string, parameters ...any) (text string, objects []map[string]any, err error) {
	found, _ := s.conn.Query(ctx, s.statement(name), parameters...) // found gives the same error
	text = row(lists.Map(found.FieldDescriptions(), func(field pgconn.FieldDescription) any {
		return strings.ToUpper(strings.ReplaceAll(field.Name, "_", " "))
	})...)
	objects, err = pgx.AppendRows([]map[string]any{}, found, func(r pgx.CollectableRow) (map[string]any, error) { // no row is an empty list
		values, err := r.Values()
		object := map[string]any{}
		for i, value := range values {
			object[r.FieldDescriptions()[i].Name] = value
		}
		text += row(values...)
		return object, err
	})
	return text, objects, err
}
