package verifier

import (
	"context"
	"fmt"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// LocalClocks returns a warning for each clock without a time zone, if the database's sessions have
// another time zone than the install. If the application stores local times of its session's zone,
// its rows become due hours early or late.
func LocalClocks(ctx context.Context, tx inspect.Querier, file *policy.File,
	snapshot *catalog.Snapshot) (list diag.List, err error) {
	clocks := generator.LocalClocks(file, snapshot)
	if len(clocks) == 0 {
		return nil, nil
	}
	own := file.Install.TimeZone
	zone, err := inspect.OtherZone(ctx, tx, own)
	if err != nil || zone == "" {
		return nil, err
	}
	for _, k := range clocks {
		list.Add(diag.Diagnostic{Code: messages.CodeLocalClock, Severity: diag.Warning, Policy: k.Policy,
			Position: k.Position,
			Message: fmt.Sprintf("clock %q of policy %q has no time zone, and the database has another time zone "+
				"than the policy", k.Clock, k.Policy),
			Want: own, Got: zone,
			Detail: fmt.Sprintf("Runs read its times in %s. Where sessions write them in %s, rows are due hours "+
				"early or late.", own, zone),
			Hint: fmt.Sprintf("Write install: {time_zone: %s}, or expression: \"(%s) AT TIME ZONE '%[1]s'\". Where "+
				"the times are written in %[3]s, suppress this.",
				zone, k.Clock, own)})
	}
	return list, nil
}

// checkZone adds an informational finding for LocalClocks. Only the application knows in which zone
// it writes.
func (v *inspection) checkZone(r reading) error {
	list, err := LocalClocks(r.ctx, r.tx, v.source, v.opt.Snapshot)
	for _, m := range list {
		m.Severity = Info
		v.add(m)
	}
	return err
}
