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

// reportRow is a row of the policies.
type reportRow struct {
	name, state, due string
	text             string
	cells            []*element // without the name, the state first
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

// policy is the row of a policy; below is what is to be done about it, nil where there is nothing.
func (e *element) policy(name string) (row, below *element) {
	rows := e.all("table")[0].all("tbody")[0].children // not those of last runs
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

// row is that whose header is a text.
func (e *element) row(header string) *element {
	for _, tr := range e.all("tr") {
		if len(tr.children) > 0 && tr.children[0].name == "th" && tr.children[0].text() == header {
			return tr
		}
	}
	return nil
}

// rowLike is that whose header begins with a text.
func (e *element) rowLike(header string) *element {
	for _, tr := range e.all("tr") {
		if len(tr.children) > 0 && tr.children[0].name == "th" && strings.HasPrefix(tr.children[0].text(), header) {
			return tr
		}
	}
	return nil
}

// want looks for texts in the first element of a class.
func (e *element) want(t *testing.T, class string, texts ...string) {
	t.Helper()
	for _, x := range e.all("") {
		if slices.Contains(strings.Fields(x.attributes["class"]), class) {
			for _, text := range texts {
				if !strings.Contains(x.text(), text) {
					t.Errorf("%s does not say %q: %s", class, text, x.text())
				}
			}
			return
		}
	}
	t.Errorf("there is no %s", class)
}

// element is an element of a page that is well-formed XML as well.
type element struct {
	name       string
	attributes map[string]string
	children   []*element
	parts      []any // texts and children, in their order
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
		t.Fatalf("there are %d elements at the top", len(root.children))
	}
	return root.children[0]
}

// all are an element's descendants of a name, "" for any, in their order.
func (e *element) all(name string) (list []*element) {
	for _, c := range e.children {
		if name == "" || c.name == name {
			list = append(list, c)
		}
		list = append(list, c.all(name)...)
	}
	return list
}

// text is that of an element and of all in it, nil has none.
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

// spaced is its text with a blank between elements.
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
