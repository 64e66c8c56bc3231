package verifier

import (
	"fmt"

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
	wanted, err := parallel.Each(objects, func(o generator.Object) (wantedRoutine, error) {
		routine, err := pgparse.ReadRoutine(o.SQL)
		if err != nil {
			return wantedRoutine{}, fmt.Errorf("reading the wanted %s %q: %w", o.Kind, o.Name, err)
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
	return v.finds("", objects, "routines", v.install.Schema, wanted, repairHint)(r)
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
