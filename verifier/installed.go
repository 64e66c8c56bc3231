package verifier

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	verifysql "pgretain/sql/verify"
)

// pending reports migrations in the directories that are not applied in the databases.
func (v *inspection) pending() {
	for _, name := range v.opt.Pending {
		v.add(messages.Pending(name))
	}
	for _, name := range v.opt.CronPending {
		v.add(messages.CronPending(name))
	}
}

func (v *inspection) notInstalled() {
	if !v.opt.Checks.has(messages.CodeNotInstalled) {
		v.nothingRead(messages.NothingInSchema(v.install.Schema))
		return
	}
	v.addToInstall(messages.NotInstalled(v.install.Schema, v.server.Database))
}

// nothingRead adds the finding that nothing in the runtime's schema can be checked. It adds it only
// if a selected check needs that schema.
func (v *inspection) nothingRead(m message) {
	if slices.ContainsFunc(v.opt.Checks.Codes(), func(code diag.Code) bool { return code.Group() != messages.Tables }) {
		v.addToInstall(m)
	}
}

// standby reports how old the data of a standby is, and which checks cannot be made on a standby.
func (v *inspection) standby() {
	v.addToInstall(messages.Standby(v.server.Now, v.server.Clock.Sub(v.server.Now)))
	if v.opt.Checks.any([]diag.Code{messages.CodeScheduler, messages.CodeLastRun}) {
		v.addToInstall(messages.OnlyPrimary(v.install.Scheduler == "pg_cron"))
	}
}

// checkCopy reports a database that was copied from the one that was installed or adopted.
func (v *inspection) checkCopy(r reading) error {
	copied, err := collectNamed[struct{ Why string }](r, "copy")
	for _, c := range copied {
		v.addToInstall(messages.Copy(c.Why, quote.Ident(v.install.Schema)))
	}
	return err
}

// relationKinds maps kinds to their letters in pg_class.relkind and to their names.
var relationKinds = map[generator.Kind]struct{ relkind, word string }{
	generator.KindType: {"c", "type"}, generator.KindView: {"v", "view"},
	generator.KindTable: {"r", "table"}, generator.KindStored: {"r", "table"},
}

func (v *inspection) checkRelations(r reading) error {
	wanted := v.relations()
	type relation struct {
		N     int
		Owner *string // nil if the relation is missing
	}
	rows := lists.Map(wanted, func(o generator.Object) row {
		return row{"name": v.inSchema(o), "kind": relationKinds[o.Kind].relkind, "owner": v.creator(o)}
	})
	differ, err := collectNamed[relation](r, "relations", v.install.Schema, rows)
	for _, live := range differ {
		o := wanted[live.N-1]
		word := relationKinds[o.Kind].word
		f := messages.MissingObject(word, o.Name)
		if live.Owner != nil {
			f = messages.OtherOwner(messages.Owned{Kind: word, Name: o.Name,
				SQL:  strings.ToUpper(word) + " " + quote.Qualified(v.install.Schema, v.inSchema(o)),
				Want: v.creator(o), Got: *live.Owner, Runtime: quote.Ident(v.install.Schema), May: true})
		}
		v.about(o, f)
	}
	return err
}

// atOnce is the number of objects in one query. It limits the size of the query, because an object
// has several kilobytes.
const atOnce = 500

func (v *inspection) checkRegistry(r reading) error {
	objects := v.objects(generator.KindInstall, generator.KindPolicy, generator.KindEach, generator.KindJob)
	known := append(slices.Clone(objects), v.unsettled...)
	kinds := lists.Map(known, func(o generator.Object) string { return string(o.Kind) })
	orphans, err := collectNamed[struct{ Kind, Name string }](r, "row_orphans", kinds, lists.Map(known, objectName))
	if err != nil {
		return err
	}
	for _, row := range orphans {
		v.addKind(generator.Kind(row.Kind), messages.RowOrphan(row.Kind, row.Name))
	}
	for some := range slices.Chunk(objects, atOnce) {
		wanted := lists.Map(some, func(o generator.Object) row {
			return row{"kind": o.Kind, "name": o.Name, "row": o.Row}
		})
		differ, err := collectNamed[messages.Row](r, "rows", wanted)
		if err != nil {
			return err
		}
		for _, row := range differ {
			o := some[row.N-1]
			f := messages.RowMissing(string(o.Kind), o.Name)
			if row.Columns != "" {
				f = messages.RowDiffers(string(o.Kind), o.Name, row)
			}
			v.about(o, f)
		}
	}
	return nil
}

func (v *inspection) relations() []generator.Object {
	return v.objects(generator.KindType, generator.KindTable, generator.KindView, generator.KindStored)
}

// inSchema returns the name of an object without the runtime's schema.
func (v *inspection) inSchema(o generator.Object) string {
	return strings.TrimPrefix(o.Name, v.install.Schema+".")
}

var codesOfRoutines = []diag.Code{messages.CodeMissing, messages.CodeDiffers, messages.CodeSettings, messages.CodeOwner,
	messages.CodeOrphan}

// wantedRoutine is the routine of an object, with its owner and settings.
type wantedRoutine struct {
	pgparse.Routine
	Name  string `json:"name"`
	Owner string `json:"owner"` // "" if unknown
	Table string `json:"table"`
}

func (v *inspection) routines() []generator.Object {
	return v.objects(generator.KindFunction, generator.KindProcedure)
}

func (v *inspection) checkRoutines(r reading) error {
	objects := v.routines()
	known := slices.DeleteFunc(slices.Concat(objects, v.unsettled), func(o generator.Object) bool {
		return !strings.Contains(o.Name, "(")
	})
	orphans, err := collectNamed[messages.RoutineOrphan](r, "routine_orphans", v.install.Schema,
		lists.Map(known, objectName))
	if err != nil {
		return err
	}
	for _, routine := range orphans {
		v.addKind(generator.KindFunction, messages.OrphanRoutine(routine))
	}
	for some := range slices.Chunk(objects, atOnce) {
		wanted := lists.Map(some, v.wantedRoutine)
		differ, err := collectNamed[messages.Routine](r, "routines", v.install.Schema, wanted)
		if err != nil {
			return err
		}
		for _, routine := range differ {
			v.about(some[routine.N-1], v.compareRoutine(wanted[routine.N-1], routine))
		}
	}
	return nil
}

// compareRoutine returns the finding on a routine that is missing or differs. Worker and runner
// have no CREATE on the runtime's schema.
func (v *inspection) compareRoutine(want wantedRoutine, live messages.Routine) message {
	switch live.Fault {
	case "missing":
		return messages.MissingObject(want.Kind, want.Name)
	case "definition":
		return messages.OtherDefinition(want.Kind, want.Name, live)
	case "settings":
		return messages.OtherSettings(want.Kind, want.Name, live)
	case "owner":
		return messages.OtherOwner(messages.Owned{Kind: want.Kind, Name: want.Name, SQL: "ROUTINE " + live.SQL,
			Want: want.Owner, Got: strings.Join(live.Got, ""), Runtime: quote.Ident(v.install.Schema),
			May: want.Owner == v.server.SchemaOwner})
	}
	return messages.UnknownFault(live.Fault)
}

var pinned = sync.OnceValue(generator.PinnedSettings)

// wantedRoutine returns the definition of a routine that an object wants. Functions for
// applications get their settings when their policy is registered, so wantedRoutine adds these
// settings. The owner is "" for a routine of the migrating role, because the verifier does not know
// that role. checkOwners checks such owners.
func (v *inspection) wantedRoutine(o generator.Object) wantedRoutine {
	w := wantedRoutine{*o.Routine, o.Name, o.Routine.Role, o.Table}
	if o.Policy != "" && w.SecurityDefiner() && o.As == generator.AsWorker { // it sets search path and time zone
		w.Settings = slices.Concat(w.Settings, pinned()[2:])
	}
	if w.Owner == "" && o.As != generator.AsMigrator {
		w.Owner = v.creator(o)
	}
	return w
}

func objectName(o generator.Object) string  { return o.Name }
func objectTable(o generator.Object) string { return o.Table }

// creator returns the name of the role that creates an object in a migration.
func (v *inspection) creator(o generator.Object) string {
	switch o.As {
	case generator.AsRunner:
		return v.runner()
	case generator.AsWorker:
		return v.worker()
	}
	return v.owner()
}

// checkMakeup compares the existing relations with those of a fresh install. It leaves out
// relations of policies. If it is unknown how this PostgreSQL version prints the queries of views,
// it leaves out these queries.
func (v *inspection) checkMakeup(r reading) error {
	if err := r.set("search_path", quote.Idents([]string{"pg_catalog", v.install.Schema, "pg_temp"})); err != nil {
		return err
	}
	relations := v.relations()
	names := lists.Map(relations, v.inSchema)
	list, err := collectJSON(r, "relation_facts", v.install.Schema, names)
	var live []verifysql.Fact
	if err == nil {
		err = json.Unmarshal(list, &live)
	}
	recorded := verifysql.Recorded()
	wanted := slices.Concat(recorded.Facts, recorded.Queries[v.server.Major])
	installed, present := byRelation(wanted), byRelation(live)
	for _, o := range relations {
		v.compareMakeup(o, installed[v.inSchema(o)], present[v.inSchema(o)])
	}
	return err
}

func byRelation(facts []verifysql.Fact) map[string][]verifysql.Fact {
	grouped := map[string][]verifysql.Fact{}
	for _, f := range facts {
		grouped[f.Relation] = append(grouped[f.Relation], f)
	}
	return grouped
}

// compareMakeup compares the facts on a relation with those of a fresh install. checkRelations
// reports a missing relation. A fresh install has no facts on relations of policies.
func (v *inspection) compareMakeup(o generator.Object, wanted, live []verifysql.Fact) {
	if len(live) == 0 {
		return
	}
	texts := func(facts []verifysql.Fact) map[string]string {
		texts := map[string]string{}
		for _, f := range facts {
			texts[f.Kind+" "+f.Name] = f.Text
		}
		return texts
	}
	installed, present := texts(wanted), texts(live)
	var want, got, wantActing, gotActing []string
	add := func(list, acting *[]string, f verifysql.Fact) {
		if acts(f) {
			list = acting
		}
		*list = append(*list, shown(f))
	}
	for _, f := range wanted {
		if text, ok := present[f.Kind+" "+f.Name]; !ok || text != f.Text {
			add(&want, &wantActing, f)
		}
	}
	for _, f := range live {
		text, ok := installed[f.Kind+" "+f.Name]
		if ok && text != f.Text || !ok && (acts(f) || len(wanted) > 0 && disturbs(f, o.Kind)) {
			add(&got, &gotActing, f)
		}
	}
	name, word := v.runtime(v.inSchema(o)), relationKinds[o.Kind].word
	if len(wantActing)+len(gotActing) > 0 {
		v.about(o, messages.Intercepted(word, name, wantActing, gotActing))
	}
	if len(want)+len(got) > 0 {
		v.about(o, messages.NotAsInstalled(word, name, want, got))
	}
}

// acts reports whether a fact changes what statements of the runtime do.
func acts(f verifysql.Fact) bool {
	return slices.Contains([]string{"trigger", "rule", "row security", "reference", "parent", "child"}, f.Kind)
}

// disturbs reports whether an additional fact on a relation makes a difference. A table may have
// additional columns that need no value, and additional indexes that are not unique.
func disturbs(f verifysql.Fact, of generator.Kind) bool {
	if f.Kind == "column" && relationKinds[of].word == "table" {
		return strings.Contains(f.Text, " NOT NULL") && !strings.Contains(f.Text, " DEFAULT") &&
			!strings.Contains(f.Text, " GENERATED")
	}
	return slices.Contains([]string{"column", "constraint", "option", "unique index"}, f.Kind)
}

// shown returns a fact as text. The query of a view is only a hash.
func shown(f verifysql.Fact) string {
	text := cmp.Or(f.Text, "another")
	if f.Kind == "query" {
		text = "another"
	}
	return strings.TrimSpace(f.Kind+" "+f.Name) + ": " + text
}
