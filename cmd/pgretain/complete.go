package main

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// The following functions return what the shell proposes: policies and jobs of the policy file, and
// codes of findings.

// proposePolicy proposes a policy for the first argument, with its table.
func proposePolicy(command *cobra.Command, args []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return proposePolicies(command, args, text)
}

// proposePolicies proposes policies that are not among the arguments yet, with their tables.
func proposePolicies(
	command *cobra.Command, args []string, _ string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	var proposals []cobra.Completion
	for _, p := range completedFile(command).Policies {
		if !slices.Contains(args, p.Name) {
			proposals = append(proposals, cobra.CompletionWithDesc(p.Name, p.Table.String()))
		}
	}
	return proposals, cobra.ShellCompDirectiveNoFileComp
}

// proposeJobs proposes the jobs of the policy file.
func proposeJobs(command *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	jobs := lists.Map(completedFile(command).Jobs, func(j *policy.Job) cobra.Completion { return j.Name })
	return jobs, cobra.ShellCompDirectiveNoFileComp
}

// completedFile returns the policy file that a command would read. It returns an empty file if
// there is none, or if it has errors.
func completedFile(command *cobra.Command) *policy.File {
	name := "retention.yaml" // commands on a live database have no flag --policy
	if flag := command.Flags().Lookup("policy"); flag != nil {
		name = cmp.Or(flag.Value.String(), flag.DefValue)
	}
	source, err := readFile("policy file", name, "")
	if err == nil {
		if file, _ := policy.Parse(name, source); file != nil {
			return file
		}
	}
	return &policy.File{}
}

// proposeCodes proposes the groups of the verifier's checks, and the codes with their titles.
func proposeCodes(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	proposals := lists.Map(messages.Groups(), func(g diag.Group) cobra.Completion { return string(g) })
	for _, code := range diag.Codes() {
		if code.Group() != "" {
			proposals = append(proposals, cobra.CompletionWithDesc(code.String(), code.Title()))
		}
	}
	return proposals, cobra.ShellCompDirectiveNoFileComp
}
