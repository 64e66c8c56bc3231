package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// page is a page in a browser of its own. The test controls it with the DevTools protocol over two
// pipes. A message is JSON and ends with NUL. https://chromedevtools.github.io/devtools-protocol/
type page struct {
	*testing.T
	to      *os.File
	from    *bufio.Reader
	session string
	last    int // ID of the last call
	loaded  int // how often the browser has loaded a page
	address string
	output  string // path of the file with the browser's stderr
}

type values map[string]any

// open starts a browser. The browser ends with the test, or when its pipes are closed.
func open(t *testing.T, program string) *page {
	t.Helper()
	theirs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	output, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "--headless", "--remote-debugging-pipe", "--user-data-dir="+dir,
		"--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-breakpad", "--no-first-run",
		"--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND")
	c.Env, c.Stderr, c.ExtraFiles = append(os.Environ(), "HOME="+dir), output, []*os.File{theirs, answers}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = theirs.Close(), answers.Close()
	p := &page{T: t, to: to, from: bufio.NewReader(from), output: output.Name()}
	t.Cleanup(func() {
		_, _ = to.Write([]byte("{\"id\":0,\"method\":\"Browser.close\"}\x00"))
		_ = c.Wait()
		_, _, _ = to.Close(), from.Close(), output.Close()
	})
	var made struct{ TargetID, SessionID string }
	p.answer(p.call("Target.createTarget", values{"url": "about:blank"}), &made)
	p.answer(p.call("Target.attachToTarget", values{"targetId": made.TargetID, "flatten": true}), &made)
	p.session = made.SessionID
	return p
}

// message is an answer, with the ID of its call, or an event.
type message struct {
	ID             int
	Method         string
	Params, Result json.RawMessage
	Error          struct{ Message string }
}

// call sends a command and waits for its answer. It also handles the events that arrive meanwhile.
func (p *page) call(method string, params values) json.RawMessage {
	p.Helper()
	p.last++
	call := values{"id": p.last, "method": method, "params": params}
	if params == nil {
		call["params"] = values{}
	}
	if p.session != "" {
		call["sessionId"] = p.session
	}
	text, err := json.Marshal(call)
	if err == nil {
		_, err = p.to.Write(append(text, 0))
	}
	if err != nil {
		p.Fatal(err)
	}
	for {
		if m := p.next(); m.ID == p.last {
			if m.Error.Message != "" {
				p.Fatalf("%s: %s", method, m.Error.Message)
			}
			return m.Result
		}
	}
}

// next returns the next message. It reports an error for console output, and for a request of
// anything but the page itself.
func (p *page) next() (m message) {
	p.Helper()
	text, err := p.from.ReadBytes(0)
	if err == nil {
		err = json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m)
	}
	if err != nil {
		output, _ := os.ReadFile(p.output)
		p.Fatalf("reading from the browser: %v\n%s", err, output)
	}
	switch m.Method {
	case "Page.loadEventFired":
		p.loaded++
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
		p.Errorf("the page writes to the console: %s", m.Params)
	case "Network.requestWillBeSent":
		var sent struct{ Request struct{ URL string } }
		if p.answer(m.Params, &sent); sent.Request.URL != p.address {
			p.Errorf("the page requests %s", sent.Request.URL)
		}
	}
	return m
}

func (p *page) answer(text json.RawMessage, into any) {
	p.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		p.Fatalf("%v: %.200s", err, text)
	}
}

// load opens an address and waits until the page is loaded.
func (p *page) load(address string) {
	p.Helper()
	p.address = address
	before := p.loaded
	for p.call("Page.navigate", values{"url": address}); p.loaded == before; {
		p.next()
	}
}

// press presses and releases a key.
func (p *page) press(key string, code int) {
	p.Helper()
	event := values{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code}
	if key == "Enter" {
		event["text"] = "\r"
	}
	p.call("Input.dispatchKeyEvent", event)
	p.call("Input.dispatchKeyEvent", values{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code})
}

// value calls the function of look.js and stores its result in into.
func (p *page) value(what string, into any) {
	p.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	p.answer(p.call("Runtime.evaluate", values{"expression": fmt.Sprintf("(%s)(%q)", look, what),
		"returnByValue": true}), &got)
	if got.ExceptionDetails != nil {
		p.Fatalf("looking for %s: %s", what, got.ExceptionDetails)
	}
	p.answer(got.Result.Value, into)
}

// look reports the faults that the function of look.js returns.
func (p *page) look(as, what string) {
	p.Helper()
	var faults []string
	p.value(what, &faults)
	for _, fault := range faults {
		p.Errorf("%s: %s", as, fault)
	}
}
