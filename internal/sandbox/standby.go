package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
)

// Standby starts a hot standby of the server from a base backup, with the same options and further
// settings. It ends as a server of its own does: Stop it before the server that it follows.
func (s *Server) Standby(ctx context.Context, settings map[string]string) (*Server, error) {
	return s.copied(ctx, settings, func(standby *Server) *exec.Cmd { return standby.baseBackup(s, "--write-recovery-conf") })
}

// Clone starts an independent server from a base backup, with the same options.
func (s *Server) Clone(ctx context.Context) (*Server, error) {
	return s.copied(ctx, nil, func(clone *Server) *exec.Cmd { return clone.baseBackup(s) })
}

// CloneFiles starts an independent server from a copy of the files, as they are: kill the server before. Times of
// the files stay, as a careful restore keeps them.
func (s *Server) CloneFiles(ctx context.Context) (*Server, error) {
	return s.copied(ctx, nil, func(clone *Server) *exec.Cmd {
		cmd := clone.command("cp", "--archive", s.dataDir(), clone.dataDir())
		cmd.Path, cmd.Err = exec.LookPath("cp")
		return cmd
	})
}

// copied starts another server on the files that a command brings.
func (s *Server) copied(ctx context.Context, settings map[string]string, bring func(*Server) *exec.Cmd) (*Server, error) {
	options := s.options
	options.Settings = maps.Clone(s.options.Settings)
	if options.Settings == nil {
		options.Settings = map[string]string{}
	}
	maps.Copy(options.Settings, settings)
	copied, err := newServer(options)
	if err != nil {
		return nil, fmt.Errorf("copying server: %w", err)
	}
	if err := copied.begins(ctx, bring(copied)); err != nil {
		return nil, errors.Join(fmt.Errorf("copying server: %w", err), copied.Stop())
	}
	return copied, nil
}

func (s *Server) baseBackup(of *Server, more ...string) *exec.Cmd {
	return s.command("pg_basebackup", append(more, "--pgdata="+s.dataDir(), "--checkpoint=fast", "--no-sync",
		"--host="+of.dir, "--port="+port, "--username="+superuser)...)
}

// begins runs the command that brings the files, and launches the server on them.
func (s *Server) begins(ctx context.Context, cmd *exec.Cmd) error {
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running %s: %w\n%s", filepath.Base(cmd.Path), err, strings.TrimSpace(out.String()))
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
