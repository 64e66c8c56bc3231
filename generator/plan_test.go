package generator

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What is planned for the verifier is what the batch functions do: in every golden case the places by which
// a statement goes (conditions, order, where it ends) stand in the batch function word for word, numbered
// where its variables have become parameters.
func TestPlansAreThoseOfTheBatches(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, dir := range cases(t, "golden", 24) {
		files := readSQL(t, filepath.Join(dir, "want"))
		for name, text := range files {
			if !strings.HasSuffix(name, "_plan.sql") {
				continue
			}
			for _, statement := range plannedStatement.FindAllStringSubmatch(text, -1) {
				batch := oneBlank(files[name[:strings.IndexByte(name, '.')+1]+statement[1]+".sql"])
				for _, part := range searched.FindAllString(statement[2], -1) {
					compared++
					if !wordForWord(part).MatchString(batch) {
						t.Errorf("%s, %s: not in the batch function:\n%s", name, statement[1], part)
					}
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d parts were compared", compared)
	}
}

var (
	plannedStatement = regexp.MustCompile(`(?s)batch := '(\w+)';(.*?)\n    RETURN NEXT;`)
	searched         = regexp.MustCompile(`(?s)WHERE .*?(?:\n *LIMIT 1|LIMIT \S+|\) x|\)\),|;|\n *INTO plan)`)
	parameter        = regexp.MustCompile(`\\\$\d+`)
	blanks           = regexp.MustCompile(`\s+`)
)

func oneBlank(text string) string { return strings.TrimSpace(blanks.ReplaceAllString(text, " ")) }

// wordForWord finds a part where a parameter stands for any variable.
func wordForWord(part string) *regexp.Regexp {
	part = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(part), "INTO plan"), ";")
	return regexp.MustCompile(parameter.ReplaceAllString(regexp.QuoteMeta(oneBlank(part)), `v_[a-z0-9_.]+`))
}
