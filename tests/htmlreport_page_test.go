package tests

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgretain/internal/htmlreport"
)

// reportRow is a row of the report's table of policies.
type reportRow struct {
	name, state, due string
	text             string
	cells            []*element // cells without the name; the first one is the state
}

func (e *element) policies() (list []reportRow) {
	for _, tr := range e.all("table")[0].all("tr") {
		if !strings.HasPrefix(tr.attributes["id"], "p") {
			continue
		}
		row := reportRow{name: tr.all("code")[0].text(), text: tr.text(),
			cells: slices.DeleteFunc(slices.Clone(tr.children), func(c *element) bool { return c.name == "th" })}
		row.state = strings.TrimLeft(row.cells[0].text(), "✕▲‖?≠!–…▶✓")
		row.due = strings.Join(strings.Fields(strings.ReplaceAll(row.cells[2].spaced(), "\n", " ")), " ")
		list = append(list, row)
	}
	return list
}

// policy returns the row of a policy, and the row below it with advice, which may be nil.
func (e *element) policy(name string) (row, below *element) {
	rows := e.all("table")[0].all("tbody")[0].children // without the rows of nested tables
	for i, tr := range rows {
		if !strings.HasPrefix(tr.attributes["id"], "p") || tr.all("code")[0].text() != name {
			continue
		}
		if i+1 < len(rows) && rows[i+1].attributes["class"] == "after" {
			below = rows[i+1]
		}
		return tr, below
	}
	return nil, nil
}

// row returns the first row whose header is the given text.
func (e *element) row(header string) *element {
	for _, tr := range e.all("tr") {
		if len(tr.children) > 0 && tr.children[0].name == "th" && tr.children[0].text() == header {
			return tr
		}
	}
	return nil
}

// rowLike returns the first row whose header begins with the given text.
func (e *element) rowLike(header string) *element {
	for _, tr := range e.all("tr") {
		if len(tr.children) > 0 && tr.children[0].name == "th" && strings.HasPrefix(tr.children[0].text(), header) {
			return tr
		}
	}
	return nil
}

// want checks that the first element of a class contains the texts.
func (e *element) want(t *testing.T, class string, texts ...string) {
	t.Helper()
	for _, x := range e.all("") {
		if slices.Contains(strings.Fields(x.attributes["class"]), class) {
			for _, text := range texts {
				if !strings.Contains(x.text(), text) {
					t.Errorf("the element of class %s does not contain %q: %s", class, text, x.text())
				}
			}
			return
		}
	}
	t.Errorf("the page has no element of class %s", class)
}

// element is an element of the page. The page is well-formed XML.
type element struct {
	name       string
	attributes map[string]string
	children   []*element
	parts      []any // texts and child elements, in their order
}

func parseHTML(t *testing.T, html string) *element {
	t.Helper()
	first, rest, _ := strings.Cut(html, "\n")
	if first != htmlreport.Mark {
		t.Fatalf("the report begins with %q", first)
	}
	root := &element{}
	open := []*element{root}
	for d := xml.NewDecoder(strings.NewReader(rest)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the report is not well-formed: %v", err)
		}
		last := open[len(open)-1]
		switch x := token.(type) {
		case xml.StartElement:
			e := &element{name: x.Name.Local, attributes: map[string]string{}}
			for _, a := range x.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			last.children, last.parts = append(last.children, e), append(last.parts, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			last.parts = append(last.parts, string(x))
		}
	}
	if len(root.children) != 1 {
		t.Fatalf("the page has %d root elements, want 1", len(root.children))
	}
	return root.children[0]
}

// all returns an element's descendants of the given name, in document order; "" is any name.
func (e *element) all(name string) (list []*element) {
	for _, c := range e.children {
		if name == "" || c.name == name {
			list = append(list, c)
		}
		list = append(list, c.all(name)...)
	}
	return list
}

// text returns the text of an element and its descendants; of nil it is "".
func (e *element) text() string {
	if e == nil {
		return ""
	}
	var b strings.Builder
	for _, part := range e.parts {
		if c, ok := part.(*element); ok {
			b.WriteString(c.text())
		} else {
			fmt.Fprint(&b, part)
		}
	}
	return strings.TrimSpace(b.String())
}

// spaced returns the text with a space between elements.
func (e *element) spaced() string {
	var list []string
	for _, part := range e.parts {
		if c, ok := part.(*element); ok {
			list = append(list, c.spaced())
		} else {
			list = append(list, fmt.Sprint(part))
		}
	}
	return strings.Join(list, " ")
}
