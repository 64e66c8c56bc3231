package main

import (
	"os"

	"github.com/spf13/cobra"

	"pgretain/policy"
)

const completionHelp = `Prints the completion script of a shell.

Exit codes:
  0  printed
  2  unknown shell`

const completionExample = `  source <(pgretain completion bash)
  pgretain completion zsh > "${fpath[1]}/_pgretain"
  pgretain completion fish > ~/.config/fish/completions/pgretain.fish`

func completionCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish",
		Short:     "Print the completion script of a shell",
		Long:      completionHelp,
		Example:   completionExample,
		ValidArgs: []string{"bash", "zsh", "fish"},
		Args:      oneArgument("a shell: bash, zsh or fish"),
		RunE:      func(command *cobra.Command, args []string) error { return c.completion(command.Root(), args[0]) },
	}
}

func (c *console) completion(root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(c.out, true)
	case "zsh":
		return root.GenZshCompletion(c.out)
	case "fish":
		return root.GenFishCompletion(c.out, true)
	}
	return &usageError{"unknown shell " + quoted(shell) + "; bash, zsh and fish are known"}
}

// oneArgument asks for exactly one argument.
func oneArgument(what string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return &usageError{quoted(command.CommandPath()) + " needs " + what}
	}
}

// atMostOneArgument refuses a second one.
func atMostOneArgument(what string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) <= 1 {
			return nil
		}
		return &usageError{quoted(command.CommandPath()) + " takes " + what + " and no more"}
	}
}

// policyNames completes the names of policies, from the policy file as it is.
func policyNames(t *target) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if file := completionFile(t); file != nil && len(args) == 0 {
			var names []string
			for _, p := range file.Policies {
				names = append(names, p.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// jobNames completes the names of jobs.
func jobNames(t *target) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		if file := completionFile(t); file != nil {
			for _, j := range file.Jobs {
				names = append(names, j.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// completionFile is nil for a file that is missing or wrong: completion stays silent.
func completionFile(t *target) *policy.File {
	source, err := os.ReadFile(t.policy)
	if err != nil {
		return nil
	}
	file, _ := policy.Parse(t.policy, source)
	return file
}
