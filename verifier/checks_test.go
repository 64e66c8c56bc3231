package verifier

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each check has a file of its own, check_<words>.go, which begins with its registration; no other file
// registers one.
func TestEachCheckHasAFileOfItsOwn(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	registered := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		n := registrations(file)
		registered += n
		if want := map[bool]int{true: 1}[strings.HasPrefix(path, "check_")]; n != want {
			t.Errorf("%s registers %d checks, want %d", path, n, want)
		} else if n == 1 && registrations(firstDeclaration(file)) != 1 {
			t.Errorf("%s does not begin with its registration", path)
		}
	}
	if len(Checks()) != registered || registered == 0 {
		t.Errorf("%d files register, and there are %d checks", registered, len(Checks()))
	}
}

func TestEachCheckHasAGroup(t *testing.T) {
	for _, c := range Checks() {
		if !slices.Contains(Groups(), c.Group) {
			t.Errorf("%s is of group %q, which no report has", c.Code, c.Group)
		}
	}
}

// registrations counts the calls of register; a declaration of that name is none.
func registrations(in ast.Node) int {
	n := 0
	ast.Inspect(in, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "register" {
				n++
			}
		}
		return true
	})
	return n
}

// firstDeclaration is the first after the imports.
func firstDeclaration(file *ast.File) ast.Node {
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			return d
		}
	}
	return file
}
