package verifier

import "testing"

// pg_cron's switches cannot be turned on a server that others use.
func TestPgCronIsSwitchedOff(t *testing.T) {
	value := func(s string) *string { return &s }
	for name, test := range map[string]struct {
		found switches
		want  string
	}{
		"on":                     {switches{value("on"), value("32")}, ""},
		"an old version":         {switches{value(""), value("32")}, ""},
		"pg_cron is not loaded":  {switches{value(""), value("")}, ""},
		"off":                    {switches{value("off"), value("32")}, "pg_cron starts no job: cron.launch_active_jobs is off"},
		"no job at a time":       {switches{value("on"), value("0")}, "pg_cron starts no job: cron.max_running_jobs is 0"},
		"nobody may read either": {switches{nil, nil}, "could not see whether pg_cron is switched off"},
	} {
		t.Run(name, func(t *testing.T) {
			v := &inspection{report: &Report{}}
			v.switchedOff(test.found)
			got := ""
			for _, f := range v.report.Findings {
				got += f.Message
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
