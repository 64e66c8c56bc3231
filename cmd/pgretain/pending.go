package main

import (
	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/policy"
)

func generatorCompile(file *policy.File, snap *catalog.Snapshot, h *generator.History) ([]generator.Object, diag.List) {
	objects, err := generator.Runtime(file.Install)
	if err != nil {
		panic(err)
	}
	return objects, nil
}
