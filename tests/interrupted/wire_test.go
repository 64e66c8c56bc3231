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

// How a session ends.
type death string

const (
	before death = "cut before the statement"
	after  death = "cut before the answer"
	during death = "terminated while it runs"
)

// wire stands between a client and the server, and ends the session at the statement that choose
// picks.
type wire struct {
	t         testing.TB
	db        *pgtest.DB
	directory string
	listener  net.Listener
	death     death
	choose    func(statement) bool
	sessions  sync.WaitGroup

	mu   sync.Mutex
	open []*session
	pids []uint32
	cut  *statement // where a session ended, nil when none did
}

// newWire listens on a socket of its own.
func newWire(t testing.TB, db *pgtest.DB, d death, choose func(statement) bool) *wire {
	t.Helper()
	directory, err := os.MkdirTemp("", "wire") // short: the path of a socket may have 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(directory, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, db: db, directory: directory, listener: listener, death: d, choose: choose}
	w.sessions.Go(w.accept)
	return w
}

// url is the database, by way of the wire.
func (w *wire) url(user string) string {
	u := w.parse(w.db.URL(user))
	u.RawQuery = url.Values{"host": {w.directory}, "port": {"5432"}}.Encode()
	return u.String()
}

func (w *wire) parse(link string) *url.URL {
	u, err := url.Parse(link)
	if err != nil {
		panic(err) // pgtest made it
	}
	return u
}

// dial connects to the server itself: a unix socket, or an address where the tests use somebody
// else's.
func (w *wire) dial() (net.Conn, error) {
	u := w.parse(w.db.URL(""))
	if host := u.Query().Get("host"); host != "" {
		return net.Dial("unix", filepath.Join(host, ".s.PGSQL."+u.Query().Get("port")))
	}
	return net.Dial("tcp", u.Host)
}

// close ends what is left of the sessions, waits until their backends have let go of everything,
// and says where a session was cut.
func (w *wire) close() *statement {
	w.t.Helper()
	_ = w.listener.Close()
	w.sessions.Wait()
	_ = os.RemoveAll(w.directory)
	watch, err := w.db.Connect(w.t.Context()) // the database's own session may have died, too
	if err != nil {
		w.t.Fatal(err)
	}
	defer watch.Close(w.t.Context())
	for _, pid := range w.pids {
		pgtest.WaitForExit(w.t, watch, pid)
	}
	return w.cut
}

func (w *wire) accept() {
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
		s := &session{wire: w, client: client, server: server}
		w.mu.Lock()
		w.open = append(w.open, s)
		w.mu.Unlock()
		w.sessions.Go(s.questions)
		w.sessions.Go(s.answers)
	}
}

// hangUp is the death of the client: nobody tells the server more than the network does.
func (w *wire) hangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.open {
		_ = s.client.Close()
		_ = s.server.Close()
	}
}

// picked asks once only: after the first death every session lives.
func (w *wire) picked(asked statement) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut != nil || !w.choose(asked) {
		return false
	}
	w.cut = &asked
	return true
}

// terminate ends the backend from another session.
func (w *wire) terminate(pid uint32) {
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
