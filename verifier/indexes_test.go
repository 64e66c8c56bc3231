package verifier

import (
	"slices"
	"testing"

	"pgretain/generator"
)

// PostgreSQL prints NULL for an index that is dropped while it is looked at. Looked at once more, it is gone,
// there again, or still changing.
func TestIndexChangesWhileItIsLookedAt(t *testing.T) {
	definition := "CREATE INDEX ..."
	vanished := index{N: 1, Found: true, Index: true, Valid: true, Ready: true, Recorded: &definition}
	there := vanished
	there.Definition = &definition
	for name, test := range map[string]struct {
		second index
		want   []string
	}{
		"gone":           {index{N: 1}, []string{"V020"}},
		"there again":    {there, nil},
		"still changing": {vanished, []string{"V092"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := &inspection{report: &Report{}}
			looks := []index{vanished, test.second}
			_, err := v.compareIndexes([]generator.Object{{Kind: generator.KindIndex, Name: "app.i"}}, func([]string) ([]index, error) {
				row := looks[0]
				looks = looks[1:]
				return []index{row}, nil
			})
			var got []string
			for _, f := range v.report.Findings {
				got = append(got, f.Code)
			}
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %v (%v), want %v", got, err, test.want)
			}
		})
	}
}
