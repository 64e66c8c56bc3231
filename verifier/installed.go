package verifier

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	verifysql "pgretain/sql/verify"
)

// pending reports what the migration directories have and the databases have not.
func (v *inspection) pending() {
	for _, name := range v.opt.Pending {
		v.add(message{Code: codePending, Object: name, Message: fmt.Sprintf("migration %q is not applied", name), Hint: "pgretain migrate up"})
	}
	for _, name := range v.opt.CronPending {
		v.add(message{Code: codePending, Object: name, Message: fmt.Sprintf("migration %q of the jobs is not applied", name),
			Hint: "pgretain migrate up --cron"})
	}
}

func (v *inspection) notInstalled() {
	if !v.opt.Checks.has(codeNotInstalled) {
		v.nothingRead("There is no such schema.", `Run "pgretain migrate up", or check that this is the right database.`)
		return
	}
	v.add(message{Code: codeNotInstalled, Position: v.install.Position,
		Message: fmt.Sprintf("schema %q does not exist in database %q", v.install.Schema, v.server.Database),
		Detail:  "It was never migrated, or the connection leads to another database.", Hint: "pgretain migrate up"})
}

// nothingRead: nothing can be checked in the runtime's schema. It is said where something should have been.
func (v *inspection) nothingRead(detail, hint string) {
	if slices.ContainsFunc(v.opt.Checks.Codes(), func(code string) bool { return checks[code] != Tables }) {
		v.add(message{Code: codeUnreadable, Severity: diag.Unknown, Position: v.install.Position,
			Message: fmt.Sprintf("could not check anything in schema %q", v.install.Schema), Detail: detail, Hint: hint})
	}
}

// standby says as of when everything is that the report says, and what it cannot say.
func (v *inspection) standby() {
	v.say(message{Code: codeStandby, Severity: Info, Position: v.install.Position}, "standby", words{
		"Now": v.server.Now, "Current": v.server.Now.Equal(v.server.Clock),
		"Behind": v.server.Clock.Sub(v.server.Now).Round(time.Millisecond),
	})
	if v.opt.Checks.any([]string{codeScheduler, codeLastRun}) {
		f := message{Code: codeOnlyPrimary, Severity: diag.Unknown, Position: v.install.Position}
		v.say(f, "only the primary", words{})
	}
}

var relationKinds = map[generator.Kind]string{generator.KindType: "c", generator.KindTable: "r", generator.KindView: "v", generator.KindStored: "r"}

func (v *inspection) checkRelations(r reading) error {
	wanted := v.relations()
	kinds := mapped(wanted, func(o generator.Object) string { return relationKinds[o.Kind] })
	return v.finds("", wanted, "relations", v.install.Schema, mapped(wanted, v.inSchema), kinds, mapped(wanted, v.creator), repairHint)(r)
}

func (v *inspection) checkPaused(r reading) error {
	type pause struct{ Policy, By, At, Reason string }
	v.paused = map[string]bool{}
	return each(r, "paused", func(p pause) {
		v.paused[p.Policy] = true
		v.say(message{Code: codePaused, Policy: p.Policy, Position: v.position(p.Policy)}, "paused", words{"Pause": p})
	})
}

// isPaused says whether somebody paused a policy, the policy that it is a member of, or all.
func (v *inspection) isPaused(name string) bool {
	of, _, _ := strings.Cut(name, policy.MemberMark)
	return v.paused[name] || v.paused[of] || v.paused["*"]
}

func (v *inspection) checkRegistry(r reading) error {
	type row struct {
		Kind generator.Kind             `json:"kind"`
		Name string                     `json:"name"`
		Row  map[string]json.RawMessage `json:"row"`
	}
	objects := v.objects(generator.KindInstall, generator.KindPolicy, generator.KindEach, generator.KindJob)
	wanted := mapped(objects, func(o generator.Object) row { return row{o.Kind, o.Name, o.Row} })
	known := append(slices.Clone(objects), v.unsettled...)
	kinds := mapped(known, func(o generator.Object) string { return string(o.Kind) })
	if err := v.finds(codeRowOrphan, nil, "row_orphans", kinds, mapped(known, objectName))(r); err != nil {
		return err
	}
	return inParts(objects, wanted, func(about []generator.Object, wanted []row) error {
		return v.finds("", about, "rows", wanted, repairHint)(r)
	})
}

func (v *inspection) relations() []generator.Object {
	return v.objects(generator.KindType, generator.KindTable, generator.KindView, generator.KindStored)
}

// inSchema is an object's name without the runtime's schema.
func (v *inspection) inSchema(o generator.Object) string {
	return strings.TrimPrefix(o.Name, v.install.Schema+".")
}

var codesOfRoutines = []string{codeMissing, codeDiffers, codeSettings, codeOwner, codeOrphan}

// wantedRoutine is a routine as its object's text says it, with what is not in that.
type wantedRoutine struct {
	pgparse.Routine
	Name  string `json:"name"`
	Owner string `json:"owner"` // "" for one that nobody knows here
	Table string `json:"table"`
}

func (v *inspection) routines() []generator.Object {
	return v.objects(generator.KindFunction, generator.KindProcedure)
}

func (v *inspection) checkRoutines(r reading) error {
	objects := v.routines()
	pinned := generator.PinnedSettings()
	wanted, err := parallel.Each(objects, func(o generator.Object) (wantedRoutine, error) {
		routine, err := pgparse.ReadRoutine(o.SQL)
		if err != nil {
			return wantedRoutine{}, fmt.Errorf("reading the wanted %s %q: %w", o.Kind, o.Name, err)
		}
		if o.Policy != "" && slices.Contains(routine.Clauses, "SECURITY DEFINER") && o.As == generator.AsWorker {
			routine.Settings = append(routine.Settings, pinned[2:]...) // its search path and time zone are its own
		}
		w := wantedRoutine{routine, o.Name, routine.Role, o.Table}
		if w.Owner == "" && o.As != generator.AsMigrator { // nobody knows that one's name here; checkOwners says what it must be
			w.Owner = v.creator(o)
		}
		return w, nil
	})
	if err != nil {
		return err
	}
	known := slices.DeleteFunc(slices.Concat(objects, v.unsettled), func(o generator.Object) bool { return !strings.Contains(o.Name, "(") })
	if err := v.finds(codeOrphan, nil, "routine_orphans", v.install.Schema, mapped(known, objectName))(r); err != nil {
		return err
	}
	return inParts(objects, wanted, func(about []generator.Object, wanted []wantedRoutine) error {
		return v.finds("", about, "routines", v.install.Schema, wanted, repairHint)(r)
	})
}

func objectName(o generator.Object) string { return o.Name }

// inParts calls f with so many objects, and what is wanted of them, that the text of one query stays in bounds: an object has
// some kilobytes.
func inParts[T any](objects []generator.Object, wanted []T, f func([]generator.Object, []T) error) error {
	const atOnce = 500
	for i := 0; i < len(objects); i += atOnce {
		end := min(i+atOnce, len(objects))
		if err := f(objects[i:end], wanted[i:end]); err != nil {
			return err
		}
	}
	return nil
}

// creator is who owns what a migration creates as a role.
func (v *inspection) creator(o generator.Object) string {
	switch o.As {
	case generator.AsRunner:
		return v.runner()
	case generator.AsWorker:
		return v.worker()
	}
	return v.owner()
}

// makeup is what a relation of the runtime consists of, and what it should.
type makeup struct {
	generator.Object
	wanted, live []verifysql.Fact
}

// checkMakeup compares the relations that are there with those of a fresh install. The queries of views are left out
// where nobody knows how this version of PostgreSQL prints them, and so are relations of policies.
func (v *inspection) checkMakeup(r reading) error {
	recorded := verifysql.Recorded()
	major, err := collectRow[struct{ Version string }](r, "major_version")
	if err != nil {
		return err
	}
	if err := r.exec("relation_path", v.install.Schema); err != nil {
		return err
	}
	relations := v.relations()
	live, err := collectRows[verifysql.Fact](r, "relation_facts", v.install.Schema, mapped(relations, v.inSchema))
	if err != nil {
		return err
	}
	wanted := slices.Concat(recorded.Facts, recorded.Queries[major.Version])
	for _, o := range relations {
		of := func(facts []verifysql.Fact) (list []verifysql.Fact) {
			for _, f := range facts {
				if f.Relation == v.inSchema(o) {
					list = append(list, f)
				}
			}
			return list
		}
		v.compareMakeup(makeup{o, of(wanted), of(live)})
	}
	return nil
}

// relationWords are for people.
var relationWords = map[generator.Kind]string{generator.KindType: "type", generator.KindTable: "table", generator.KindView: "view", generator.KindStored: "table"}

// interceptors are kinds of facts that no table of the runtime has.
var interceptors = []string{"trigger", "rule", "row security", "reference", "parent", "child"}

func (v *inspection) compareMakeup(m makeup) {
	var acts, lacks, exceeds []string
	for _, f := range m.live {
		switch same := func(w verifysql.Fact) bool { return w == f }; {
		case slices.Contains(interceptors, f.Kind):
			acts = append(acts, shown(f))
		case !slices.ContainsFunc(m.wanted, same) && (has(m.wanted, f.Kind, f.Name) || m.inTheWay(f)):
			exceeds = append(exceeds, shown(f))
		}
	}
	for _, f := range m.wanted {
		if len(m.live) > 0 && !slices.Contains(m.live, f) { // else it is missing, which is said
			lacks = append(lacks, shown(f))
		}
	}
	what := fmt.Sprintf("%s %q", relationWords[m.Kind], m.Name)
	if len(acts) > 0 {
		v.about(m.Object, message{Code: codeIntercepted, Message: "something else acts on " + what, Got: strings.Join(acts, "; "),
			Detail: "Statements of the runtime do something else there as well, or instead, or fail, or see a part of the rows.",
			Hint:   "Drop it, or switch it off, as the owner of the table."})
	}
	if len(lacks)+len(exceeds) > 0 {
		v.about(m.Object, message{Code: codeNotAsInstalled, Message: what + " is not as it was installed",
			Want: strings.Join(lacks, "; "), Got: strings.Join(exceeds, "; "),
			Hint: "Run the statements of a view from the last migration again; change a table or type back by an ALTER of what differs."})
	}
}

// shown is a fact for people; of a query there is but a hash.
func shown(f verifysql.Fact) string {
	if f.Kind == "query" || f.Text == "" {
		f.Text = "another"
	}
	return strings.TrimSpace(f.Kind+" "+f.Name) + ": " + f.Text
}

// has says whether there is a fact of a kind under a name, whatever it says.
func has(facts []verifysql.Fact, kind, name string) bool {
	return slices.ContainsFunc(facts, func(f verifysql.Fact) bool { return f.Kind == kind && f.Name == name })
}

// inTheWay says whether a live fact that nobody wants is in the way of what the runtime does: further columns
// that need no value, and indexes that refuse nothing, are not.
func (m makeup) inTheWay(f verifysql.Fact) bool {
	if len(m.wanted) == 0 {
		return false
	}
	switch f.Kind {
	case "column":
		return m.Kind != generator.KindTable // a type's or a view's: values have another shape
	case "constraint", "option":
		return true
	case "unique index":
		return !has(m.live, "constraint", f.Name)
	case "default":
		return has(m.wanted, "column", f.Name)
	case "not null":
		generated := func(c verifysql.Fact) bool {
			return c.Kind == "column" && c.Name == f.Name && strings.Contains(c.Text, " GENERATED")
		}
		return has(m.wanted, "column", f.Name) || !has(m.live, "default", f.Name) && !slices.ContainsFunc(m.live, generated)
	}
	return false
}
