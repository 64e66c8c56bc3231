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
	next, into, self := map[string][]keyRow{}, map[string]bool{}, map[string]bool{}
	var names []string
	for _, k := range keys {
		switch {
		case k.From == k.To:
			self[k.From] = true
		case k.Action != "keeps":
			next[k.From], into[k.To] = append(next[k.From], k), true
			names = append(names, k.From, k.To)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	g := &graph{}
	place := g.arrange(slices.Compact(names), next, into)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		n.Rows, n.Class, n.Self = "none in 30 days", "plain", self[n.Full]
		if t := slices.IndexFunc(tables, func(t tableView) bool { return t.Name == n.Full && t.Taken+t.Cascaded > 0 }); t >= 0 {
			n.Rows, n.Class = tables[t].gone(), "taken"
		}
		g.Width, g.Height = max(g.Width, n.X+nodeWidth+4), max(g.Height, n.Y+nodeHeight+4)
		for _, k := range next[n.Full] {
			if to := place[k.To]; to >= 0 {
				g.Edges = append(g.Edges, drawEdge(*n, g.Nodes[to], k))
			}
		}
	}
	g.Title = fmt.Sprintf("%s that deletes reach, %s; the table below has the same",
		times(len(g.Nodes), "table"), times(len(g.Edges), "foreign key"))
	return g
}

// arrange puts each table beside the one that leads to it: first what nothing leads to, then what only a circle leads to.
// It answers their places in Nodes, -1 for what has none there.
func (g *graph) arrange(names []string, next map[string][]keyRow, into map[string]bool) map[string]int {
	place := map[string]int{}
	line := 0
	var visit func(name string, depth int)
	visit = func(name string, depth int) {
		if place[name] = len(g.Nodes); place[name] == mostNodes {
			g.Left++
			place[name] = -1
			return
		}
		g.Nodes = append(g.Nodes, node{X: 4 + depth*columnStep, Y: 4 + line*rowStep, Name: shortened(name, 30), Full: name, depth: depth})
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
	for _, pass := range []bool{false, true} {
		for _, name := range names {
			if _, known := place[name]; !known && into[name] == pass {
				visit(name, 0)
				line++
			}
		}
	}
	return place
}

func drawEdge(a, b node, k keyRow) edge {
	e := edge{Title: fmt.Sprintf("%s to %s: ON DELETE %s", k.From, k.To, k.Action), Class: "cascade"}
	if k.Action != "cascade" {
		e.Class = "sets"
	}
	x1, y1, x2, y2, bend := a.X+nodeWidth, a.Y+nodeHeight/2, b.X, b.Y+nodeHeight/2, -40
	if b.depth <= a.depth { // back
		y1, x2, bend = y1+6, b.X+nodeWidth, 40
	}
	e.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+40, y1, x2+bend, y2, x2, y2)
	return e
}

// gone says what became of rows of a table.
func (t tableView) gone() string {
	switch {
	case t.Taken == 0:
		return count(t.Cascaded) + " by foreign key"
	case t.Cascaded == 0:
		return count(t.Taken) + " taken"
	}
	return count(t.Taken) + " taken, " + count(t.Cascaded) + " by key"
}
