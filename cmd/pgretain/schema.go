package main

import (
	"github.com/spf13/cobra"

	"pgretain/policy"
)

const schemaHelp = `Prints the JSON Schema of the policy file, for editors: which keys there are and what kind of
value each has. What the SQL in it means only "pgretain lint" knows.

Exit codes:
  0  printed`

func schemaCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of the policy file", Long: schemaHelp, Args: noArguments,
		Example: "  pgretain schema > retention.schema.json",
		RunE: func(*cobra.Command, []string) error {
			c.printf("%s", policy.Schema)
			return nil
		},
	}
}
