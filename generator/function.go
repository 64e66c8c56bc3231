package generator

import (
	"slices"
	"strings"

	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// function is the declaration of a function of a policy. Its template contains the comment and the
// body, and writes the declaration with {{ .Create }}.
type function struct {
	suffix     string // the function's name is <policy>_<suffix>
	parameters []pgparse.Parameter
	returns    string // a type, SETOF a type, or TABLE; "" if the parameters define the result
	language   string
	clauses    []string // for example STABLE, SECURITY DEFINER
	settings   []setting
	recreated  bool // the template drops the function first
}

// functionHead has the fields that the templates of all functions of a policy share.
type functionHead struct {
	Schema, Policy      sqlText
	Function, Signature sqlText // name of the function without and with its parameters' types
	declared            function
}

// Create returns CREATE FUNCTION up to the body.
func (h functionHead) Create() sqlText { return h.declared.create(h.Schema + "." + h.Function) }

func (h *functionHead) head() *functionHead { return h }

// functionData is the data of a function's template: a pointer to a struct with a functionHead.
type functionData interface{ head() *functionHead }

// setting is a setting that a function has while it runs. IsText says that CREATE FUNCTION has the
// value as a literal.
type setting struct {
	Name, Value sqlText
	IsText      bool
}

// settingsOfRuntime is the search path of functions that use nothing of the application.
var settingsOfRuntime = []setting{{Name: "search_path", Value: sqlText(ownPath)}}

// in returns an input parameter.
func in(name, typ string) pgparse.Parameter {
	return pgparse.Parameter{Mode: "IN", Name: name, Type: typ}
}

// withDefault returns an input parameter that a caller may leave out.
func withDefault(name, typ, value string) pgparse.Parameter {
	return pgparse.Parameter{Mode: "IN", Name: name, Type: typ, Default: value}
}

// output returns an output parameter.
func output(name, typ string) pgparse.Parameter {
	return pgparse.Parameter{Mode: "OUT", Name: name, Type: typ}
}

// column returns a column of RETURNS TABLE.
func column(name, typ string) pgparse.Parameter {
	return pgparse.Parameter{Mode: "TABLE", Name: name, Type: typ}
}

// routine returns the function without its body, as the verifier compares it with the database.
func (f function) routine() *pgparse.Routine {
	returns, set := strings.CutPrefix(f.returns, "SETOF ")
	return &pgparse.Routine{
		Kind:       string(KindFunction),
		Parameters: append([]pgparse.Parameter{}, f.parameters...),
		Returns:    returns,
		Set:        set || returns == "TABLE",
		Language:   f.language,
		Clauses:    append([]string{}, f.clauses...),
		Settings:   lists.Map(f.settings, setting.plain),
	}
}

// plain returns the setting as the catalog stores it.
func (s setting) plain() string { return string(s.Name + "=" + s.Value) }

// signature returns the types of the arguments as format_type prints them.
func (f function) signature() string {
	types := strings.Join(f.routine().Arguments(), ", ")
	return strings.ReplaceAll(types, "timestamptz", "timestamp with time zone")
}

// create returns CREATE FUNCTION up to the body. name has a schema.
func (f function) create(name sqlText) sqlText {
	data := declaration{Name: name, Recreated: f.recreated, Returns: sqlText(f.returns),
		Language: sqlText(f.language), Settings: f.settings,
		Clauses: lists.Map(f.clauses, func(text string) sqlText { return sqlText(text) })}
	for _, p := range f.parameters {
		text := parameter{Name: ident(p.Name), Type: sqlText(p.Type), Default: sqlText(p.Default)}
		switch p.Mode {
		case "TABLE":
			data.Columns = append(data.Columns, text)
			continue
		case "OUT":
			text.Mode = sqlText(p.Mode)
		}
		data.Parameters = append(data.Parameters, text)
	}
	return sqlText(execute("create function", data))
}

// declaration is the data of the template "create function".
type declaration struct {
	Name, Returns, Language sqlText
	Recreated               bool
	Parameters, Columns     []parameter // Columns are those of RETURNS TABLE
	Clauses                 []sqlText
	Settings                []setting
}

// parameter is a parameter in a declaration. Mode is "" for an input, Name is "" if it has none.
type parameter struct {
	Mode, Type, Default sqlText
	Name                ident
}

// function returns the function <policy>_<suffix>. The worker may call it, and it runs with the
// rights of its caller.
func (w *policyCompiler) function(f function, template string, data functionData) draft {
	name := ident(w.policy.Name + "_" + f.suffix).String()
	signature := name + "(" + f.signature() + ")"
	*data.head() = functionHead{sqlText(w.schema()), sqlText(w.policy.Name), sqlText(name), sqlText(signature), f}
	d := w.draft(KindFunction, w.schema()+"."+signature, template, data)
	d.declared = &f
	return d.grantedTo(w.file.Install.Roles, w.file.Install.Roles.Worker)
}

// declaredAs returns the object of a function with its declaration added to its body.
func (o Object) declaredAs(f function) Object {
	if o.Routine != nil { // without rendering there is no body
		body := o.Routine.Body
		o.Routine = f.routine()
		o.Routine.Body = body
	}
	return o
}

// migratorFunction returns a function that the migrating role owns, because the function needs the
// privileges of the tables' owner. The role that owns the other functions cannot get these
// privileges. The migrating role is a member of that role, and PostgreSQL refuses circular
// memberships.
func (w *policyCompiler) migratorFunction(f function, template string, data functionData) draft {
	d := w.function(f, template, data)
	d.As = AsMigrator
	return d
}

// applicationFunction returns a function for applications. The roles of "grant" and operators may
// call it.
func (w *policyCompiler) applicationFunction(grant []policy.Name, f function, template string,
	data functionData) draft {
	d, in := w.function(f, template, data), w.file.Install.Roles
	d.As, d.Grants = AsWorker, nil
	d = d.grantedTo(in, in.Operator)
	for _, name := range grant {
		d.Grants = append(d.Grants, name.Text)
		if in.None || !slices.Contains(in.All(), name.Text) {
			w.granted = append(w.granted, name)
		}
	}
	return d
}

// keySettings returns the settings of a function that finds rows by a key. With them its plan uses
// the index, even if the table was small when the function was planned. _put_policy() adds the
// other settings on which expressions depend. _evaluate_as_worker() has the same ones.
func (w *policyCompiler) keySettings() []setting {
	path := slices.Concat([]string{"pg_catalog"}, w.file.Install.SearchPath, []string{"pg_temp"})
	return []setting{{Name: "search_path", Value: sqlText(quote.Idents(path))},
		{"timezone", sqlText(w.zone()), true}, {Name: "enable_seqscan", Value: "off"}}
}

// keysSettings returns the settings of a function that finds rows by many keys.
func (w *policyCompiler) keysSettings() []setting {
	return append(w.keySettings(), setting{Name: "enable_hashjoin", Value: "off"},
		setting{Name: "enable_mergejoin", Value: "off"})
}
