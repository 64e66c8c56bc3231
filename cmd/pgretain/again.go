package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// serveReports answers each request for "/" with a report of that moment, one after the other, until ctx ends. It listens
// on an address of this machine only, and answers to its names only: reports have names of people, and no password.
func (c *console) serveReports(ctx context.Context) error {
	isLocal := func(address string) bool {
		host, _, err := net.SplitHostPort(address)
		ip := net.ParseIP(host)
		return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
	}
	if !isLocal(c.Serve) {
		return refuse("not local", c.Serve)
	}
	listener, err := net.Listen("tcp", c.Serve)
	if err != nil {
		return err
	}
	c.notef("http://%s, until Ctrl-C\n", listener.Addr())
	var one sync.Mutex
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, request *http.Request) {
		if !isLocal(request.Host) {
			http.Error(w, "this is for the machine itself", http.StatusForbidden)
			return
		}
		one.Lock()
		defer one.Unlock()
		text, err := c.reportNow(request.Context())
		if err != nil {
			http.Error(w, "pgretain: "+err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Refresh", "60")
		_, _ = w.Write(text)
	})
	server := http.Server{Handler: mux, ReadHeaderTimeout: time.Minute, BaseContext: func(net.Listener) context.Context { return ctx }}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// watch looks again and again until ctx ends, each time on an empty screen where there is one. What is found the last time
// counts.
func (c *console) watch(ctx context.Context, look func() error) (last error) {
	if c.Watch < 100*time.Millisecond {
		return refuse("short watch", c.Watch)
	}
	for {
		if terminalWidth(c.out) > 0 {
			c.printf("\x1b[H\x1b[2J")
		}
		code, found := exitCode(0), look()
		switch {
		case ctx.Err() != nil:
			return last
		case found != nil && !errors.As(found, &code):
			return found
		}
		last = found
		select {
		case <-ctx.Done():
			return last
		case <-time.After(c.Watch):
		}
	}
}
