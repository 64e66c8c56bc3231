package verifier

import (
	"context"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
)

var codesOfRoutines = []string{codeMissing, codeDiffers, codeSettings, codeOwner, codePrivileges, codeOrphan}

func (v *inspection) installedGroups() []group {
	return []group{
		{about: "the functions", codes: codesOfRoutines, check: v.checkRoutines},
		{about: "the runtime's tables and views", codes: []string{codeMissing, codeOwner, codePublic}, check: v.checkRelations},
		{about: "what the runtime's tables and views are made of", codes: []string{codeIntercepted, codeNotAsInstalled}, check: v.checkMakeup},
		{about: "the sequences of the runtime", codes: []string{codeSequenceBehind}, check: v.checkSequences},
		{about: "the registry", codes: []string{codeRowMissing, codeRowDiffers, codeRowOrphan}, check: v.checkRegistry},
		{about: "what is paused", codes: []string{codePaused, codeLate, codeNotYet, codeOverdue}, check: v.checkPaused},
		{about: "windows set at run time", codes: []string{codeWindowSet}, check: v.checkWindows},
		{about: "whether the database is a copy", codes: []string{codeCopy}, check: v.checkCopy},
	}
}

// relation is a type, table, view or sequence in the runtime's schema.
type relation struct {
	Name, Kind, Owner string
	Open              []string // privileges of PUBLIC
}

var relationKinds = map[generator.Kind]string{generator.KindType: "c", generator.KindTable: "r", generator.KindView: "v", generator.KindStored: "r"}

func (v *inspection) checkRelations(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[relation](ctx, tx, v.query("relations"), v.install.Schema)
	if err != nil {
		return err
	}
	live := map[string]relation{}
	for _, r := range rows {
		live[v.install.Schema+"."+r.Name] = r
		if len(r.Open) > 0 {
			v.relationPublic(r)
		}
	}
	for _, o := range v.relations() {
		r, ok := live[o.Name]
		switch {
		case !ok || r.Kind != relationKinds[o.Kind]:
			v.missing(o)
		case r.Owner != v.creator(o):
			v.ownerDiffers(o, v.creator(o), r.Owner)
		}
	}
	return nil
}

type pause struct{ Policy, By, At, Reason string }

func (v *inspection) checkPaused(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[pause](ctx, tx, v.query("paused"))
	v.paused = map[string]bool{}
	for _, p := range rows {
		v.paused[p.Policy] = true
		v.policyPaused(p)
	}
	return err
}

type origin struct{ Why string }

func (v *inspection) checkCopy(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[origin](ctx, tx, v.query("copy"))
	for _, o := range rows {
		v.isCopy(o)
	}
	return err
}
