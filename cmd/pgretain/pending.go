package main

import (
	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/policy"

	"github.com/spf13/cobra"
)

func generatorCompile(file *policy.File, snap *catalog.Snapshot, h *generator.History) ([]generator.Object, diag.List) {
	objects, err := generator.Runtime(file.Install)
	if err != nil {
		panic(err)
	}
	return objects, nil
}

func verifyCommand(c *console) *cobra.Command { return &cobra.Command{Use: "verify"} }
