package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
)

// Standby starts a hot standby of the server from a base backup, with the same options and further
// settings. It ends as a server of its own does: Stop it before the server that it follows.
func (s *Server) Standby(ctx context.Context, settings map[string]string) (*Server, error) {
	options := s.options
	options.Settings = maps.Clone(s.options.Settings)
	if options.Settings == nil {
		options.Settings = map[string]string{}
	}
	maps.Copy(options.Settings, settings)
	standby, err := newServer(options)
	if err != nil {
		return nil, fmt.Errorf("starting standby: %w", err)
	}
	if err := standby.follow(ctx, s); err != nil {
		return nil, errors.Join(fmt.Errorf("starting standby: %w", err), standby.Stop())
	}
	return standby, nil
}

// follow copies the primary and launches the copy.
func (s *Server) follow(ctx context.Context, primary *Server) error {
	cmd := s.command("pg_basebackup", "--pgdata="+s.dataDir(), "--write-recovery-conf", "--checkpoint=fast", "--no-sync",
		"--host="+primary.dir, "--port="+port, "--username="+superuser)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running pg_basebackup: %w\n%s", err, strings.TrimSpace(out.String()))
	}
	if err := s.configure(); err != nil {
		return err
	}
	if err := s.launch(ctx); err != nil {
		return err
	}
	s.forget = context.AfterFunc(ctx, func() { _ = s.Stop() })
	return nil
}
