package interrupted

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pgretain/tests/pgtest"
)

// interruption is the way in which a session ends.
type interruption string

const (
	before interruption = "cut before the statement"
	after  interruption = "cut before the answer"
	during interruption = "terminated while it runs"
)

// proxy forwards messages between a client and the server, and ends the session at the first
// statement that choose accepts.
type proxy struct {
	t            testing.TB
	db           *pgtest.DB
	directory    string
	listener     net.Listener
	interruption interruption
	choose       func(statement) bool
	sessions     sync.WaitGroup

	mu            sync.Mutex
	open          []*session
	pids          []uint32
	interruptedAt *statement // the statement at which a session was ended; nil if none was
}

// newProxy returns a proxy that listens on its own socket.
func newProxy(t testing.TB, db *pgtest.DB, d interruption, choose func(statement) bool) *proxy {
	t.Helper()
	directory, err := os.MkdirTemp("", "wire") // short, because the path of a socket may have 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(directory, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	w := &proxy{t: t, db: db, directory: directory, listener: listener, interruption: d, choose: choose}
	w.sessions.Go(w.accept)
	return w
}

// url returns the URL of the database through the proxy.
func (w *proxy) url(user string) string {
	u := w.parse(w.db.URL(user))
	u.RawQuery = url.Values{"host": {w.directory}, "port": {"5432"}}.Encode()
	return u.String()
}

func (w *proxy) parse(link string) *url.URL {
	u, err := url.Parse(link)
	if err != nil {
		panic(err) // pgtest created the URL
	}
	return u
}

// dial connects to the server itself, through its unix socket or by its address.
func (w *proxy) dial() (net.Conn, error) {
	u := w.parse(w.db.URL(""))
	if host := u.Query().Get("host"); host != "" {
		return net.Dial("unix", filepath.Join(host, ".s.PGSQL."+u.Query().Get("port")))
	}
	return net.Dial("tcp", u.Host)
}

// close ends the sessions, waits until their backends have ended, and returns the statement at
// which a session was interrupted.
func (w *proxy) close() *statement {
	w.t.Helper()
	_ = w.listener.Close()
	w.sessions.Wait()
	_ = os.RemoveAll(w.directory)
	watch, err := w.db.Connect(w.t.Context()) // the stage's own session may have ended too
	if err != nil {
		w.t.Fatal(err)
	}
	defer watch.Close(w.t.Context())
	for _, pid := range w.pids {
		pgtest.WaitForExit(w.t, watch, pid)
	}
	return w.interruptedAt
}

func (w *proxy) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		server, err := w.dial()
		if err != nil {
			w.t.Error(err)
			_ = client.Close()
			continue
		}
		s := &session{proxy: w, client: client, server: server}
		w.mu.Lock()
		w.open = append(w.open, s)
		w.mu.Unlock()
		w.sessions.Go(s.forwardRequests)
		w.sessions.Go(s.forwardResponses)
	}
}

// disconnect closes all connections, like a client that ends. The server learns it from the network
// only.
func (w *proxy) disconnect() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.open {
		_ = s.client.Close()
		_ = s.server.Close()
	}
}

// interrupts reports whether the session ends at this statement. The proxy ends only one session.
func (w *proxy) interrupts(asked statement) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.interruptedAt != nil || !w.choose(asked) {
		return false
	}
	w.interruptedAt = &asked
	return true
}

// terminate terminates the backend from another session.
func (w *proxy) terminate(pid uint32) {
	conn, err := w.db.Connect(w.t.Context())
	if err != nil {
		w.t.Error(err)
		return
	}
	defer conn.Close(w.t.Context())
	if _, err := conn.Exec(w.t.Context(), "SELECT pg_terminate_backend($1)", pid); err != nil {
		w.t.Error(err)
	}
}
