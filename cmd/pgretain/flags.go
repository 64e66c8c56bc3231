package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pgretain/internal/catalog"
)

// paths are the files that the verbs read and write.
type paths struct {
	policy, migrations, cronMigrations, catalog string
}

func (p *paths) addPolicy(command *cobra.Command) {
	command.Flags().StringVarP(&p.policy, "policy", "p", "retention.yaml", "the policy `file`")
}

func (p *paths) addMigrations(command *cobra.Command) {
	command.Flags().StringVarP(&p.migrations, "migrations", "m", "migrations", "the migration `directory`")
}

func (p *paths) addCronMigrations(command *cobra.Command) {
	command.Flags().StringVar(&p.cronMigrations, "cron-migrations", "",
		"the migration `directory` of the database where schema cron lives, if that is another one (default: that of --migrations and \"_cron\")")
}

// cronDirectory is where the migrations of the other database are.
func (p *paths) cronDirectory() string {
	if p.cronMigrations != "" {
		return p.cronMigrations
	}
	return filepath.Clean(p.migrations) + "_cron"
}

// checkDirectories refuses one directory for two databases.
func (p *paths) checkDirectories() error {
	if filepath.Clean(p.migrations) == filepath.Clean(p.cronDirectory()) {
		return &usageError{"--migrations and --cron-migrations must be two directories"}
	}
	return nil
}

func (p *paths) addCatalog(command *cobra.Command) {
	command.Flags().StringVar(&p.catalog, "catalog", "",
		"the catalog snapshot `file` (default \""+catalog.FileName+"\" beside the policy)")
}

// catalogFile is where the snapshot is.
func (p *paths) catalogFile() string {
	if p.catalog != "" {
		return p.catalog
	}
	return filepath.Join(filepath.Dir(p.policy), catalog.FileName)
}

func addDatabaseURL(command *cobra.Command, url *string) {
	command.Flags().StringVar(url, "database-url", "", "the `URL` of the database (default: the PG* variables)")
}

func addFormat(command *cobra.Command, format *string) {
	command.Flags().StringVar(format, "format", "text", "`text` or json")
}

// reportFormats are what verify and lint write.
var reportFormats = []string{"text", "json", "sarif", "github"}

// reporting is how findings are written.
type reporting struct {
	format  string
	verbose bool
}

func (r *reporting) add(command *cobra.Command) {
	command.Flags().StringVar(&r.format, "format", "text", "`text`, json, sarif or github (workflow commands)")
	command.Flags().BoolVarP(&r.verbose, "verbose", "v", false, "show in the text what the policy file suppresses")
}

// check refuses a --format that nobody writes.
func (r *reporting) check() error {
	if !slices.Contains(reportFormats, r.format) {
		return &usageError{"--format must be text, json, sarif or github, got " + quoted(r.format)}
	}
	return nil
}

// text says whether people read it.
func (r *reporting) text() bool { return r.format == "text" }

// checkout is the directory that files are named from in reports for machines: that of the repository in
// GitHub's workflows, elsewhere the working directory.
func checkout() string {
	if dir := os.Getenv("GITHUB_WORKSPACE"); filepath.IsAbs(dir) {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return "/" // files keep the names that they were given by
	}
	return dir
}

// checkFormat refuses a --format that nobody writes.
func checkFormat(format string) error {
	if format != "text" && format != "json" {
		return &usageError{"--format must be text or json, got " + quoted(format)}
	}
	return nil
}
