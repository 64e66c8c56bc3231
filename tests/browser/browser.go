// Package browser checks a page in a headless Chromium. It checks light and dark mode, a phone,
// print, use with the keyboard alone, and the text that a screen reader gets.
package browser

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// look is a function that runs in the page. Its argument names a check; it returns the faults.
//
//go:embed look.js
var look string

// program is the name of the browser's executable and of its package. It is also an argument of
// .ci/setup.
const program = "chromium"

// Check checks that a page sends no requests, logs nothing, is readable, fits the screen and can be
// used without a mouse. Without Chromium it skips the test, unless PGRETAIN_TEST_BROWSER is set. It
// saves pictures in the directory of PGRETAIN_TEST_PICTURES, if that is set.
func Check(t *testing.T, html string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil && os.Getenv("PGRETAIN_TEST_BROWSER") == "" {
		t.Skipf("no browser: %v; make test-browser installs it", err)
	} else if err != nil {
		t.Fatal(err)
	}
	p := open(t, path)
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(html), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Accessibility"} {
		p.call(domain+".enable", nil)
	}
	for _, as := range []struct {
		name, scheme string
		width        int
	}{{"light", "light", 1280}, {"dark", "dark", 1280}, {"phone", "dark", 390}, {"narrow", "light", 320}} {
		p.call("Emulation.setDeviceMetricsOverride",
			values{"width": as.width, "height": 844, "deviceScaleFactor": 1, "mobile": as.width < 500})
		p.call("Emulation.setEmulatedMedia",
			values{"features": []values{{"name": "prefers-color-scheme", "value": as.scheme}}})
		p.load("file://" + file)
		p.picture(as.name)
		for _, what := range []string{"width", "unfold", "width", "contrast"} {
			p.look(as.name, what)
		}
	}
	p.load("file://" + file)
	p.keyboard()
	p.names()
	p.print()
}

// keyboard presses the Tab key repeatedly. The focus must go to each usable element, in order, and
// be visible there.
func (p *page) keyboard() {
	var want []string
	p.value("targets", &want)
	for i, name := range want {
		p.press("Tab", 9)
		var got struct{ Name, Fault, Details string }
		if p.value("focus", &got); got.Name != name || got.Fault != "" {
			p.Fatalf("Tab key %d moves the focus to %q, want %q; %s", i+1, got.Name, name, got.Fault)
		}
		if before := got.Details; before != "" {
			p.press("Enter", 13)
			if p.value("focus", &got); got.Details == before {
				p.Errorf("the Enter key does not change %s: it stays %s", name, before)
			}
			p.press("Enter", 13)
		}
	}
}

// spoken lists the roles of elements that need a name for users of a screen reader.
var spoken = []string{"link", "button", "DisclosureTriangle", "table", "image", "heading", "columnheader", "rowheader",
	"navigation", "RootWebArea"}

// names checks the page's accessibility tree, which the browser gives to a screen reader.
func (p *page) names() {
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value any }
			NodeID     string
		}
	}
	p.look("names", "unfold")
	p.answer(p.call("Accessibility.getFullAXTree", nil), &tree)
	met := map[string]int{}
	for _, n := range tree.Nodes {
		role, _ := n.Role.Value.(string)
		if n.Ignored || !slices.Contains(spoken, role) {
			continue
		}
		met[role]++
		if name, _ := n.Name.Value.(string); name == "" {
			p.Errorf("a %s has no name (node %s)", role, n.NodeID)
		}
	}
	if met["table"] == 0 || met["image"] == 0 || met["heading"] == 0 || met["link"] == 0 || met["RootWebArea"] != 1 {
		p.Errorf("elements of the page by role: %v; want tables, images, headings, links and one RootWebArea", met)
	}
}

// print checks that the browser can print the page.
func (p *page) print() {
	var pdf struct{ Data []byte }
	p.answer(p.call("Page.printToPDF", values{"printBackground": true, "preferCSSPageSize": true}), &pdf)
	if len(pdf.Data) < 1000 || string(pdf.Data[:5]) != "%PDF-" {
		p.Errorf("the printed page has %d bytes and begins with %.5q, want a PDF of at least 1000", len(pdf.Data), pdf.Data)
	}
	p.keep("print.pdf", pdf.Data)
}

// picture saves a picture of the top of the page.
func (p *page) picture(name string) {
	if os.Getenv("PGRETAIN_TEST_PICTURES") == "" {
		return
	}
	var png struct{ Data []byte }
	p.answer(p.call("Page.captureScreenshot", nil), &png)
	p.keep(name+".png", png.Data)
}

func (p *page) keep(name string, content []byte) {
	if dir := os.Getenv("PGRETAIN_TEST_PICTURES"); dir != "" {
		path := filepath.Join(dir, strings.ReplaceAll(p.Name(), "/", "-")+"-"+name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			p.Fatal(err)
		}
	}
}
