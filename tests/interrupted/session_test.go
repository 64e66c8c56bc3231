package interrupted

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync/atomic"
)

// statement is a client's message that the server executes: a Query, a Parse or an Execute.
type statement struct {
	text     string // an Execute has the text of its Parse
	identity string // differs for the same text after another statement
}

// session is one connection through the proxy.
type session struct {
	*proxy
	client, server net.Conn
	pid            atomic.Uint32
	muted          atomic.Bool // the proxy discards the server's messages
	parsed, bound  string
	previous       string
}

// frame is one message of the protocol as it is transmitted.
// https://www.postgresql.org/docs/current/protocol-message-formats.html
type frame struct {
	kind byte // 0 for the first message of a session, which has no type byte
	raw  []byte
}

func readFrame(r *bufio.Reader, first bool) (frame, error) {
	head := make([]byte, 5)
	if first {
		head = head[1:]
	}
	if _, err := io.ReadFull(r, head); err != nil {
		return frame{}, err
	}
	f := frame{raw: head}
	if !first {
		f.kind, head = head[0], head[1:]
	}
	rest := make([]byte, binary.BigEndian.Uint32(head)-4)
	_, err := io.ReadFull(r, rest)
	f.raw = append(f.raw, rest...)
	return f, err
}

// forwardRequests forwards the client's messages until the session is interrupted or the client has
// closed it.
func (s *session) forwardRequests() {
	defer s.server.Close()
	reader := bufio.NewReader(s.client)
	interrupted := false
	for first := true; ; first = false {
		f, err := readFrame(reader, first)
		if err != nil {
			return
		}
		if !interrupted && s.isRequest(f) && s.interrupts(s.statement(f)) {
			interrupted = true
			if s.interruption == before {
				s.client.Close()
				return
			}
			s.muted.Store(s.interruption == after)
		}
		if _, err := s.server.Write(f.raw); err != nil {
			return
		}
		// The server executes the statement only after this message.
		if interrupted && s.interruption == during && (f.kind == 'Q' || f.kind == 'S') {
			s.terminate(s.pid.Load())
		}
	}
}

// forwardResponses forwards the server's messages.
func (s *session) forwardResponses() {
	defer s.client.Close()
	reader := bufio.NewReader(s.server)
	for {
		f, err := readFrame(reader, false)
		switch {
		case err != nil:
			return
		case f.kind == 'K':
			s.recordPID(binary.BigEndian.Uint32(f.raw[5:]))
		case f.kind == 'Z' && s.muted.Load():
			return
		}
		if s.muted.Load() {
			continue
		}
		if _, err := s.client.Write(f.raw); err != nil {
			return
		}
	}
}

func (s *session) recordPID(pid uint32) {
	s.pid.Store(pid)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pids = append(s.pids, pid)
}

// isRequest reports whether the server executes something for this frame, and remembers the text
// and the parameters of a prepared statement.
func (s *session) isRequest(f frame) bool {
	switch f.kind {
	case 'P':
		s.parsed, s.bound = strings.Split(string(f.raw[5:]), "\x00")[1], ""
	case 'B':
		s.bound = string(f.raw[5:])
	}
	return f.kind == 'Q' || f.kind == 'P' || f.kind == 'E'
}

func (s *session) statement(f frame) statement {
	text := strings.TrimRight(string(f.raw[5:]), "\x00")
	if f.kind != 'Q' {
		text = s.parsed
	}
	key := string(f.kind) + text + s.bound
	asked := statement{text: text, identity: key + "\x00" + s.previous}
	s.previous = key
	return asked
}
