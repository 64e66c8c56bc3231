// Package browser looks at a page in a headless Chromium as somebody would who sees it in the
// light, in the dark or on a phone, prints it, has only a keyboard, or has it read to them.
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

// look.js is called in the page with the name of what to look for; it answers with what is wrong.
//
//go:embed look.js
var look string

// program is the name of the browser, of its package, and of the command that .ci/setup is given.
const program = "chromium"

// Check holds that a page which needs nobody asks nobody, logs nothing, can be read, fits and can
// be used without a mouse. Without Chromium it skips the test, where PGRETAIN_TEST_BROWSER does not
// ask for it. Pictures are left in the directory PGRETAIN_TEST_PICTURES, if there is one.
func Check(t *testing.T, html string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil && os.Getenv("PGRETAIN_TEST_BROWSER") == "" {
		t.Skipf("not looked at in a browser: %v; make test-browser installs it", err)
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
		p.call("Emulation.setEmulatedMedia", values{"features": []values{{"name": "prefers-color-scheme",
			"value": as.scheme}}})
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

// keyboard goes through the page by the tabulator: to each element that can be used, in their
// order, where it can be seen to be.
func (p *page) keyboard() {
	var want []string
	p.value("targets", &want)
	for i, name := range want {
		p.press("Tab", 9)
		var got struct{ Name, Fault, Details string }
		if p.value("focus", &got); got.Name != name || got.Fault != "" {
			p.Fatalf("key %d comes to %q, not to %q; %s", i+1, got.Name, name, got.Fault)
		}
		if before := got.Details; before != "" {
			p.press("Enter", 13)
			if p.value("focus", &got); got.Details == before {
				p.Errorf("%s stays %s", name, before)
			}
			p.press("Enter", 13)
		}
	}
}

// spoken are the roles of what has to have a name for those who hear the page.
var spoken = []string{"link", "button", "DisclosureTriangle", "table", "image", "heading", "columnheader", "rowheader",
	"navigation", "RootWebArea"}

// names looks at the page as the browser tells it to a screen reader.
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
		p.Errorf("the page has %v", met)
	}
}

// print writes the page as on paper.
func (p *page) print() {
	var pdf struct{ Data []byte }
	p.answer(p.call("Page.printToPDF", values{"printBackground": true, "preferCSSPageSize": true}), &pdf)
	if len(pdf.Data) < 1000 || string(pdf.Data[:5]) != "%PDF-" {
		p.Errorf("printed, the page has %d bytes", len(pdf.Data))
	}
	p.keep("print.pdf", pdf.Data)
}

// picture keeps what is to be seen at first.
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
		if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(p.Name(), "/", "-")+"-"+name), content,
			0o644); err != nil {
			p.Fatal(err)
		}
	}
}
