package generator

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"text/template/parse"
)

// checkedTemplates are pairs of a template and a type of data that checkFields has checked.
var checkedTemplates sync.Map

// checkFields panics if a template names a field that its data lacks, also in a branch that is not
// executed. It checks the templates that the template includes, too.
func checkFields(name string, dot reflect.Type) {
	if _, known := checkedTemplates.LoadOrStore([2]any{name, dot}, true); known || dot == nil {
		return
	}
	found := set.Lookup(name)
	if found == nil || found.Tree == nil {
		panic("there is no template " + name)
	}
	w := fieldWalk{name: name, vars: map[string]reflect.Type{"$": dot}}
	w.walk(found.Tree.Root, dot)
}

// fieldWalk walks through a template with the types of its variables. A type is nil if it is
// unknown.
type fieldWalk struct {
	name string
	vars map[string]reflect.Type
}

func (w fieldWalk) walk(node parse.Node, dot reflect.Type) {
	switch n := node.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, inner := range n.Nodes {
				w.walk(inner, dot)
			}
		}
	case *parse.ActionNode:
		w.pipe(n.Pipe, dot)
	case *parse.TemplateNode:
		checkFields(n.Name, w.pipe(n.Pipe, dot))
	case *parse.IfNode:
		w.pipe(n.Pipe, dot)
		w.walk(n.List, dot)
		w.walk(n.ElseList, dot)
	case *parse.WithNode:
		w.walk(n.List, w.pipe(n.Pipe, dot))
		w.walk(n.ElseList, dot)
	case *parse.RangeNode:
		item := w.pipe(n.Pipe, dot)
		if item != nil && item.Kind() != reflect.Interface {
			item = item.Elem()
		}
		for i, v := range n.Pipe.Decl {
			if w.vars[v.Ident[0]] = item; i == 0 && len(n.Pipe.Decl) == 2 {
				w.vars[v.Ident[0]] = reflect.TypeFor[int]()
			}
		}
		w.walk(n.List, item)
		w.walk(n.ElseList, dot)
	}
}

// pipe checks a pipeline, and returns the type of its value.
func (w fieldWalk) pipe(pipe *parse.PipeNode, dot reflect.Type) (typ reflect.Type) {
	if pipe == nil {
		return nil
	}
	for _, c := range pipe.Cmds {
		typ = w.command(c, dot)
	}
	for _, v := range pipe.Decl {
		w.vars[v.Ident[0]] = typ
	}
	return typ
}

func (w fieldWalk) command(c *parse.CommandNode, dot reflect.Type) reflect.Type {
	var types []reflect.Type
	for _, arg := range c.Args {
		types = append(types, w.argument(arg, dot))
	}
	function, ok := c.Args[0].(*parse.IdentifierNode)
	switch {
	case !ok:
		return types[0]
	case function.Ident == "index" && types[1] != nil:
		return types[1].Elem()
	case function.Ident == "fragment":
		if name, fixed := c.Args[1].(*parse.StringNode); fixed {
			checkFields(name.Text, types[2])
		}
	}
	return nil
}

func (w fieldWalk) argument(arg parse.Node, dot reflect.Type) reflect.Type {
	switch n := arg.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return w.field(dot, n.Ident)
	case *parse.VariableNode:
		return w.field(w.vars[n.Ident[0]], n.Ident[1:])
	case *parse.ChainNode:
		return w.field(w.argument(n.Node, dot), n.Field)
	case *parse.PipeNode:
		return w.pipe(n, dot)
	}
	return nil
}

// field returns the type of a chain of fields and methods.
func (w fieldWalk) field(typ reflect.Type, names []string) reflect.Type {
	for _, name := range names {
		if typ == nil || typ.Kind() == reflect.Interface {
			return nil
		}
		if method, ok := typ.MethodByName(name); ok {
			typ = method.Type.Out(0)
			continue
		}
		of := typ
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			panic(fmt.Sprintf("template %s: %s has no field %s", w.name, of, strings.Join(names, ".")))
		}
		field, ok := of.FieldByName(name)
		if !ok || !field.IsExported() {
			panic(fmt.Sprintf("template %s: %s has no field %s", w.name, of, name))
		}
		typ = field.Type
	}
	return typ
}
