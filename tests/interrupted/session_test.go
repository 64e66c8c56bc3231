package interrupted

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync/atomic"
)

// statement is what a client asks: a Query, a Parse or an Execute.
type statement struct {
	text     string // of an Execute: that of its Parse
	identity string // the same text after another statement is another one
}

// session is one connection through the wire.
type session struct {
	*wire
	client, server net.Conn
	pid            atomic.Uint32
	silent         atomic.Bool // the answer is not passed on any more
	parsed, bound  string
	previous       string
}

// frame is one message of the protocol as it travels.
// https://www.postgresql.org/docs/current/protocol-message-formats.html
type frame struct {
	kind byte // 0: the first of a session has none
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

// questions passes on what the client says, until the session is cut or the client has gone.
func (s *session) questions() {
	defer s.server.Close()
	reader := bufio.NewReader(s.client)
	dying := false
	for first := true; ; first = false {
		f, err := readFrame(reader, first)
		if err != nil {
			return
		}
		if !dying && s.asks(f) && s.picked(s.statement(f)) {
			dying = true
			if s.death == before {
				s.client.Close()
				return
			}
			s.silent.Store(s.death == after)
		}
		if _, err := s.server.Write(f.raw); err != nil {
			return
		}
		// Only now does the server answer.
		if dying && s.death == during && (f.kind == 'Q' || f.kind == 'S') {
			s.terminate(s.pid.Load())
		}
	}
}

// answers passes on what the server says.
func (s *session) answers() {
	defer s.client.Close()
	reader := bufio.NewReader(s.server)
	for {
		f, err := readFrame(reader, false)
		switch {
		case err != nil:
			return
		case f.kind == 'K':
			s.began(binary.BigEndian.Uint32(f.raw[5:]))
		case f.kind == 'Z' && s.silent.Load():
			return
		}
		if s.silent.Load() {
			continue
		}
		if _, err := s.client.Write(f.raw); err != nil {
			return
		}
	}
}

func (s *session) began(pid uint32) {
	s.pid.Store(pid)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pids = append(s.pids, pid)
}

// asks says whether the frame makes the server do something, and remembers what is to be executed.
func (s *session) asks(f frame) bool {
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
