package tests

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"pgretain/internal/htmlreport"
	"pgretain/tests/pgtest"
)

// started is a command that goes on until it is interrupted; lines are what one of its outputs says.
func started(t *testing.T, c *cli, output func(*exec.Cmd) (io.ReadCloser, error), args ...string) (lines *bufio.Scanner, interrupt func(wantCode int)) {
	t.Helper()
	cmd := c.command(append(args, "--database-url", c.url)...)
	pipe, err := output(cmd)
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return bufio.NewScanner(pipe), func(wantCode int) {
		t.Helper()
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, pipe)
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != wantCode {
			t.Errorf("pgretain %s: exit code %d, want %d", strings.Join(args, " "), code, wantCode)
		}
	}
}

// testLooksAgain: status --watch says what has become of a run since, and ends with the exit code of its last look.
func testLooksAgain(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := cliProject(t, binary, db)
	c.want(2, "too short", "status", "--watch=1ms")
	lines, interrupt := started(t, c, (*exec.Cmd).StdoutPipe, "status", "--watch=100ms")
	next := func(state string) {
		t.Helper()
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "lines_old") && strings.Contains(lines.Text(), state) {
				return
			}
		}
		t.Fatalf("no look finds a policy that is %q", state)
	}
	next("")
	db.Exec(t, "UPDATE retention.policy SET breaker_rows = 50")
	if r := c.run("run", "lines_old"); r.code != 1 {
		t.Fatal(r)
	}
	next("tripped")
	next("tripped")
	interrupt(1)
}

// testServesReports: each request is answered with a report of that moment, for names of this machine only.
func testServesReports(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := cliProject(t, binary, db)
	c.want(2, "no address of this machine alone", "report", "--serve=0.0.0.0:0")
	c.want(2, "no address of this machine alone", "report", "--serve=:8423")
	c.want(2, "serve", "report", "--serve", "--output=x.html")
	lines, interrupt := started(t, c, (*exec.Cmd).StderrPipe, "report", "--serve=127.0.0.1:0")
	if !lines.Scan() {
		t.Fatal("it says no address")
	}
	address, _, _ := strings.Cut(lines.Text(), ",")
	get := func(method, path, host string) (int, http.Header, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, response.Header, string(text)
	}
	code, header, text := get("GET", "/", "")
	if code != 200 || !strings.HasPrefix(text, htmlreport.Mark) || header.Get("Refresh") != "60" || header.Get("Cache-Control") != "no-store" || strings.Contains(text, "pause of anna") {
		t.Errorf("%d %v\n%.300s", code, header, text)
	}
	c.must("pause", "lines_old", "--reason", "pause of anna")
	if _, _, text := get("GET", "/", "localhost:80"); !strings.Contains(text, "pause of anna") {
		t.Error("the second report does not know what has happened since the first")
	}
	for _, x := range []struct {
		method, path, host string
		code               int
	}{{"GET", "/", "evil.example", 403}, {"GET", "/", "localhost.evil.example:80", 403}, {"GET", "/x", "", 404}, {"POST", "/", "", 405}} {
		if code, _, text := get(x.method, x.path, x.host); code != x.code || strings.Contains(text, "lines_old") {
			t.Errorf("%v: %d\n%.300s", x, code, text)
		}
	}
	interrupt(0)
}
