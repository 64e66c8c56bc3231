package main

import (
	"slices"
	"testing"
)

// TestDoubts checks that Doubts returns one line for each step and table that has a note, also if
// notes are equal. Two paths to the same table give one line.
func TestDoubts(t *testing.T) {
	t.Parallel()
	reason, counted := "conditions read x", "5 as things are: conditions read x"
	p := preview{Effects: []effect{
		{Step: 1, Effect: "update", Table: "public.a", Note: &counted},
		{Step: 2, Effect: "delete", Table: "public.b", Note: &reason},
		{Step: 2, Effect: "cascade", Table: "public.c", Note: &reason},
		{Step: 2, Effect: "cascade", Table: "public.c", Note: &reason},
		{Step: 3, Effect: "delete", Table: "public.d"},
	}}
	want := []string{
		"step 1, update public.a: conditions read x",
		"step 2, delete public.b: conditions read x",
		"step 2, cascade public.c: conditions read x",
	}
	if got := p.Doubts(); !slices.Equal(got, want) {
		t.Errorf("the notes are %q, want %q", got, want)
	}
}
