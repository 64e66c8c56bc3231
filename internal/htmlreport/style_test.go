package htmlreport

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestContrast checks the contrast of each text colour on each of its backgrounds, in both colour
// schemes. WCAG 2 requires 4.5 for texts and 3 for graphics.
func TestContrast(t *testing.T) {
	t.Parallel()
	source, err := templates.ReadFile("report.html.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(string(source), -1)
	if len(blocks) != 2 || !strings.Contains(string(source), "prefers-color-scheme: dark") {
		t.Fatalf("found %d colour schemes in report.html.tmpl, want a light and a dark one", len(blocks))
	}
	for i, scheme := range []string{"light", "dark"} {
		colours := map[string]float64{}
		for _, c := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(blocks[i][1], -1) {
			colours[c[1]] = luminance(t, c[2])
		}
		for text, grounds := range map[string]string{
			"fg": "bg card code bad-bg warn-bg ok-bg", "muted": "bg card bad-bg warn-bg ok-bg",
			"bad": "card bad-bg", "warn": "card warn-bg", "ok": "card ok-bg", "bar": "bg card",
		} {
			for ground := range strings.FieldsSeq(grounds) {
				a, known := colours[text]
				b, also := colours[ground]
				least := 4.5
				if text == "bar" {
					least = 3
				}
				if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); !known || !also || ratio < least {
					t.Errorf("%s: %s on %s has a contrast of %.2f, want at least %.1f",
						scheme, text, ground, ratio, least)
				}
			}
		}
	}
}

// luminance returns the relative luminance of a colour, as WCAG 2 defines it.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(colour[1:], 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	part := func(shift uint) float64 {
		c := float64(n>>shift&255) / 255
		if c <= 0.03928 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}
