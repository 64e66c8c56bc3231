package generator

import (
	"pgretain/policy"
)

// settableWindow is the window that may be set at run time, with its bounds; nil where there is
// none, or more than one. Of a claim it is the time to live.
func (w *work) settableWindow() (own, atLeast, atMost any) {
	windows := []policy.Window{}
	if w.policy.Claim != nil {
		windows = append(windows, w.policy.Claim.TTL)
	} else if w.policy.Due != nil {
		for _, entry := range w.policy.Due.Entries {
			if entry.Clock != nil {
				windows = append(windows, entry.Clock.Window)
			}
		}
	}
	var found []*policy.WindowData
	for _, window := range windows {
		if len(window.Tiers) == 1 && settable(window.Tiers[0].Data) {
			found = append(found, window.Tiers[0].Data)
		}
	}
	if len(found) != 1 {
		return nil, nil, nil
	}
	return interval(found[0].Else), interval(found[0].AtLeast), interval(found[0].AtMost)
}

func settable(d *policy.WindowData) bool { return d != nil && d.AtLeast != nil && d.Else != nil }

func interval(i *policy.Interval) any {
	if i == nil {
		return nil
	}
	return intervalText(*i)
}

func names(list []policy.Name) []string {
	texts := make([]string, len(list))
	for i, name := range list {
		texts[i] = name.Text
	}
	return texts
}

// deletedTables are the tables that steps delete from.
func (w *work) deletedTables() []string {
	list := []string{}
	for _, s := range w.policy.Then {
		switch {
		case s.Delete != nil && s.Related != nil:
			list = append(list, s.Related.Table.String())
		case s.Delete != nil:
			list = append(list, tableName(w.table))
		}
	}
	return list
}
