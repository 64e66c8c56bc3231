package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"unicode/utf8"
)

// CronElsewhere says whether jobs are scheduled in another database than the one they run in.
func (i Install) CronElsewhere() bool {
	return i.Scheduler == "pg_cron" && i.CronDatabase != "" && i.CronDatabase != i.Database
}

// CronJobName is the jobname of a job's schedule, counted from 0. Where several applications share
// schema cron it begins with the database; neither schemas nor jobs have a dot in their names.
func (i Install) CronJobName(job string, schedule int) string {
	name := i.Schema + "." + job
	if i.CronElsewhere() {
		name = i.Database + "." + name
	}
	if schedule > 0 {
		name += "#" + strconv.Itoa(schedule+1)
	}
	return short(name)
}

// CronJobPrefix is how the names of all jobs begin in a schema cron that several applications share.
func (i Install) CronJobPrefix() string {
	prefix := i.Database + "." + i.Schema + "."
	return prefix[:min(len(prefix), kept(prefix))]
}

// CronSchema is the schema in the other database that holds the versions of its migrations. It
// belongs to this install alone, and stays the same when the jobs move back.
func (i Install) CronSchema() string { return short(i.Database + "." + i.Schema) }

// nameLimit is the longest identifier in bytes; pg_cron before 1.5 cuts longer names without a word.
const nameLimit = 63

// short is the name itself, or its beginning and a hash of it where PostgreSQL would cut it.
func short(name string) string {
	if len(name) <= nameLimit {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:kept(name)] + "~" + hex.EncodeToString(sum[:])[:8]
}

// kept is how many bytes of a long name stay, in whole characters.
func kept(name string) int {
	end := min(nameLimit-9, len(name))
	for end < len(name) && !utf8.RuneStart(name[end]) {
		end--
	}
	return end
}
