package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pgretain/tests/fixture"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pgretain": main})
}

// TestScripts runs the scripts in testdata, which call the built command. "go test ./cmd/pgretain
// -update" rewrites the texts with which they compare the output.
func TestScripts(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	dirs := strings.Fields(string(out))
	if err != nil || len(dirs) != 2 {
		t.Fatalf("go env says %q: %v", out, err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *fixture.Update,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "image": image},
		Setup: func(env *testscript.Env) error {
			// No server listens in this directory, so a script that connects fails.
			env.Setenv("PGHOST", env.WorkDir)
			env.Setenv("PGDATABASE", "shop")
			env.Setenv("PGUSER", "shop_owner")
			env.Setenv("ROOT", root)
			env.Setenv("GOCACHE", dirs[0])
			env.Setenv("GOMODCACHE", dirs[1])
			return nil
		},
	})
}

// exits is a command of the scripts. It fails unless a program ends with the given exit code.
// Usage: exits 2 pgretain lint.
func exits(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 2 {
		ts.Fatalf("usage: exits code program [args...]")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("running %s: %v", args[1], err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// image is a command of the scripts. It checks the digests in an OCI image layout, and writes the
// configuration of the image and the names of its files. Usage: image DIR.
func image(ts *testscript.TestScript, _ bool, args []string) {
	type descriptor struct {
		MediaType, Digest string
		Size              int
	}
	read := func(d descriptor, into any) []byte {
		text := ts.ReadFile(filepath.Join(args[0], "blobs", strings.Replace(d.Digest, ":", "/", 1)))
		if sum := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))); sum != d.Digest || len(text) != d.Size {
			ts.Fatalf("%s has %d bytes and %s, want %+v", d.MediaType, len(text), sum, d)
		}
		if into != nil {
			ts.Check(json.Unmarshal([]byte(text), into))
		}
		return []byte(text)
	}
	var index struct{ Manifests []descriptor }
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	var config struct {
		Architecture, OS string
		Config           struct {
			User, WorkingDir string
			Entrypoint       []string
		}
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(filepath.Join(args[0], "index.json"))), &index))
	read(index.Manifests[0], &manifest)
	read(manifest.Config, &config)
	layer, err := gzip.NewReader(bytes.NewReader(read(manifest.Layers[0], nil)))
	ts.Check(err)
	content, err := io.ReadAll(layer)
	ts.Check(err)
	if id := fmt.Sprintf("sha256:%x", sha256.Sum256(content)); config.RootFS.DiffIDs[0] != id ||
		config.Architecture != runtime.GOARCH {
		ts.Fatalf("the configuration is %+v, the layer %s", config, id)
	}
	fmt.Fprintf(ts.Stdout(), "%s %+v\n", config.OS, config.Config)
	for files := tar.NewReader(bytes.NewReader(content)); ; {
		file, err := files.Next()
		if err == io.EOF {
			return
		}
		ts.Check(err)
		fmt.Fprintf(ts.Stdout(), "%s %d %s\n", fs.FileMode(file.Mode), file.Uid, file.Name)
	}
}
