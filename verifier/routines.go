package verifier

import (
	"fmt"
	"slices"

	"pgretain/generator"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
)

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
	if err := v.finds(codeOrphan, nil, "routine_orphans", v.install.Schema, mapped(objects, objectName))(r); err != nil {
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
