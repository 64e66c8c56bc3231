package main

import (
	"context"

	"github.com/spf13/cobra"

	"pgretain/policy"
)

func (c *console) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the policy file",
		Long: `Prints the JSON Schema of the policy file, for editors. It describes the keys and the types of their
values. It does not check the SQL in the file; "pgretain lint" does.

Exit codes:
  0  printed`,
		Example: `  pgretain schema > retention.schema.json`,
		RunE:    c.inDatabases(&flags{}, (*console).schema),
	}
}

func (c *console) schema(context.Context, []string) error {
	c.printf("%s", policy.Schema)
	return nil
}
