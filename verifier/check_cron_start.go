package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

var codeCronStart = register("V049", Schedule, "pg_cron does not start jobs")

// startGroups are after those that read what pg_cron says of its attempts.
func (v *inspection) startGroups() []group {
	if v.install.Scheduler != "pg_cron" || v.server.Standby {
		return nil
	}
	return []group{
		{about: "pg_cron's switches", codes: []string{codeCronStart}, check: v.checkSwitches},
		{about: "jobs that pg_cron could not start", codes: []string{codeCronStart}, check: v.checkStarts},
	}
}

// switches are settings of pg_cron: "" where it has none of the name, nil where nobody may read them.
type switches struct{ Launch, Running *string }

func (v *inspection) checkSwitches(ctx context.Context, tx pgx.Tx) error {
	found, err := one[switches](ctx, tx, v.query("cron_switches"))
	unseen := slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Code == codeScheduler })
	if err == nil && (found.Launch != nil && found.Running != nil || !unseen) { // one cause, one finding
		v.switchedOff(found)
	}
	return err
}

func (v *inspection) switchedOff(s switches) {
	f := Finding{Code: codeCronStart, Position: v.install.Position}
	switch {
	case s.Launch == nil || s.Running == nil:
		f.Severity, f.Message = diag.Unknown, "could not see whether pg_cron is switched off"
		f.Detail, f.Hint = fmt.Sprintf("Role %q may not read its settings.", v.owner()), fmt.Sprintf("GRANT pg_monitor TO %s;", quote.Ident(v.owner()))
	case *s.Launch == "off":
		f.Message, f.Hint = "pg_cron starts no job: cron.launch_active_jobs is off", "ALTER SYSTEM SET cron.launch_active_jobs = on; SELECT pg_reload_conf();"
	case *s.Running == "0":
		f.Message, f.Hint = "pg_cron starts no job: cron.max_running_jobs is 0", "Reset cron.max_running_jobs and restart the server."
	default:
		return
	}
	v.add(f)
}

// checkStarts is about jobs whose last attempts failed, several in a row, of which the run log knows
// nothing: they did not get so far. A single one may be anybody's restart.
func (v *inspection) checkStarts(ctx context.Context, tx pgx.Tx) error {
	var suspects []job
	var names []string
	for _, j := range v.jobs() {
		if a, ok := v.lastAttempt(j.name); ok && a.InRow > 1 {
			suspects, names = append(suspects, j), append(names, j.name)
		}
	}
	if len(suspects) == 0 {
		return nil
	}
	type begun struct {
		Job string
		At  time.Time
	}
	rows, err := many[begun](ctx, tx, v.query("jobs_since"), names)
	last := map[string]time.Time{}
	for _, r := range rows {
		last[r.Job] = r.At
	}
	for _, j := range suspects {
		if a, _ := v.lastAttempt(j.name); a.Since == nil || last[j.name].Before(*a.Since) {
			v.cannotStart(j, a)
		}
	}
	return err
}

func (v *inspection) cannotStart(j job, a attempt) {
	f := Finding{Code: codeCronStart, Object: j.name, Position: j.position,
		Message: fmt.Sprintf("pg_cron cannot start job %q: its last %d attempts failed", j.name, a.InRow),
		Detail:  fmt.Sprintf("None of them got as far as a run. pg_cron says: %s.", strings.TrimRight(a.Message, ".\n "))}
	switch {
	case strings.HasPrefix(a.Message, "connection"):
		f.Hint = fmt.Sprintf("Let role %q connect from the server itself: its password file, pg_hba.conf, cron.host; or set cron.use_background_workers.", v.runner())
	case strings.HasPrefix(a.Message, "could not start background"):
		f.Hint = "Raise max_worker_processes, which pg_cron's jobs share with replication and parallel queries."
	default:
		f.Hint = fmt.Sprintf("CALL %s(%s);", v.runtime("run_job"), quote.Literal(j.name))
		f.Detail += fmt.Sprintf(" Role %q may find out more.", v.runner())
	}
	v.add(f)
}
