package verifier

import (
	"context"

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
		d := messages.LocalClock(k.Policy, k.Clock, own, zone)
		d.Position = k.Position
		list.Add(d)
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
