package sandbox

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
)

// Standby starts a hot standby of the server from a base backup, with the same options and further
// settings. It ends as a server of its own does: Stop it before the server that it follows.
func (s *Server) Standby(ctx context.Context, settings map[string]string) (*Server, error) {
	return s.copied(ctx, settings, func(standby *Server) *exec.Cmd { return standby.baseBackup(ctx, s, "--write-recovery-conf") })
}

// Clone starts an independent server from a base backup, with the same options.
func (s *Server) Clone(ctx context.Context) (*Server, error) {
	return s.copied(ctx, nil, func(clone *Server) *exec.Cmd { return clone.baseBackup(ctx, s) })
}

// CloneFiles starts an independent server from a copy of the files, as they are: kill the server before, or shut it
// down. Times of the files stay, as a careful restore keeps them.
func (s *Server) CloneFiles(ctx context.Context) (*Server, error) {
	return s.copied(ctx, nil, func(clone *Server) *exec.Cmd {
		cmd := clone.command(ctx, "cp", "--archive", s.dataDir(), clone.dataDir())
		cmd.Path, cmd.Err = exec.LookPath("cp")
		return cmd
	})
}

// copied starts another server on the files that a command brings.
func (s *Server) copied(ctx context.Context, settings map[string]string, bring func(*Server) *exec.Cmd) (*Server, error) {
	options := s.options
	options.Settings = map[string]string{}
	maps.Copy(options.Settings, s.options.Settings)
	maps.Copy(options.Settings, settings)
	copied, err := startWith(ctx, options, s.binDir, func(copied *Server, ctx context.Context) error {
		return copied.launchOn(ctx, bring(copied))
	})
	if err != nil {
		return nil, fmt.Errorf("copying server: %w", err)
	}
	return copied, nil
}

func (s *Server) baseBackup(ctx context.Context, of *Server, more ...string) *exec.Cmd {
	return s.command(ctx, "pg_basebackup", append(more, "--pgdata="+s.dataDir(), "--checkpoint=fast", "--no-sync",
		"--host="+of.dir, "--port="+port, "--username="+superuser)...)
}
