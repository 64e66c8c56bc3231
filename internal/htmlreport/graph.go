package htmlreport

import (
	"fmt"
	"slices"
)

// graph is what deletes reach by foreign keys: tables in columns, those that are deleted from to the left.
type graph struct {
	Title         string
	Width, Height int
	Nodes         []node
	Edges         []edge
	Left          int // tables that are not drawn
}

type node struct {
	X, Y        int
	Name, Full  string
	Rows, Class string
	Self        bool // it refers to itself
	depth       int
}

type edge struct {
	Path, Title, Class string
}

const (
	nodeWidth  = 236
	nodeHeight = 34
	columnStep = 320
	rowStep    = 46
	mostNodes  = 100
)

// drawGraph draws the keys that change rows where deletes reach; those that keep rows are named in the table.
func drawGraph(keys []keyRow, tables []tableView) *graph {
	g := &graph{}
	rows := map[string]tableView{}
	for _, t := range tables {
		rows[t.Name] = t
	}
	next, into := map[string][]keyRow{}, map[string]bool{}
	var names []string
	self := map[string]bool{}
	for _, k := range keys {
		switch {
		case k.From == k.To:
			self[k.From] = true
			continue
		case k.Action == "keeps":
			continue
		}
		next[k.From] = append(next[k.From], k)
		into[k.To] = true
		names = append(names, k.From, k.To)
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	names = slices.Compact(names)
	place := map[string]int{} // in Nodes
	line := 0
	var visit func(name string, depth int)
	visit = func(name string, depth int) {
		if _, known := place[name]; known {
			return
		}
		if len(g.Nodes) == mostNodes {
			g.Left++
			place[name] = -1
			return
		}
		place[name] = len(g.Nodes)
		n := node{X: 4 + depth*columnStep, Y: 4 + line*rowStep, Name: shortened(name, 30), Full: name,
			Self: self[name], depth: depth}
		n.Rows, n.Class = nodeRows(rows[name])
		g.Nodes = append(g.Nodes, n)
		first := true
		for _, k := range next[name] {
			if _, known := place[k.To]; known {
				continue
			}
			if !first {
				line++
			}
			first = false
			visit(k.To, depth+1)
		}
	}
	for _, pass := range []bool{false, true} { // what nothing leads to first; then what only a circle leads to
		for _, name := range names {
			if _, known := place[name]; !known && into[name] == pass {
				visit(name, 0)
				line++
			}
		}
	}
	for _, n := range g.Nodes {
		g.Width, g.Height = max(g.Width, n.X+nodeWidth+4), max(g.Height, n.Y+nodeHeight+4)
	}
	for _, name := range names {
		for _, k := range next[name] {
			if a, b := place[k.From], place[k.To]; a >= 0 && b >= 0 {
				g.Edges = append(g.Edges, drawEdge(g.Nodes[a], g.Nodes[b], k))
			}
		}
	}
	g.Title = fmt.Sprintf("%s that deletes reach, %s; the table below has the same",
		times(len(g.Nodes), "table"), times(len(g.Edges), "foreign key"))
	return g
}

func drawEdge(a, b node, k keyRow) edge {
	e := edge{Title: fmt.Sprintf("%s to %s: ON DELETE %s", k.From, k.To, k.Action), Class: "cascade"}
	if k.Action != "cascade" {
		e.Class = "sets"
	}
	x1, y1, x2, y2 := a.X+nodeWidth, a.Y+nodeHeight/2, b.X, b.Y+nodeHeight/2
	if b.depth <= a.depth { // back
		x2 = b.X + nodeWidth
		e.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1+6, x1+40, y1+6, x2+40, y2, x2, y2)
		return e
	}
	e.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+40, y1, x2-40, y2, x2, y2)
	return e
}

// nodeRows says what became of rows of a table.
func nodeRows(t tableView) (text, class string) {
	switch {
	case t.Taken > 0 && t.Cascaded > 0:
		return count(t.Taken) + " taken, " + count(t.Cascaded) + " by key", "taken"
	case t.Taken > 0:
		return count(t.Taken) + " taken", "taken"
	case t.Cascaded > 0:
		return count(t.Cascaded) + " by foreign key", "taken"
	}
	return "none in 30 days", "plain"
}
