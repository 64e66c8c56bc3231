package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/report"
)

// console is one command line. The rules for everything a person reads: results go to out; everything else goes to err,
// in the form of package diag, with "pgretain:" in front of what has no place in a file. No capital at the beginning of
// a message and no full stop at its end; details and hints are whole sentences.
type console struct {
	flags
	out, err io.Writer
	command  *cobra.Command // the verb
}

// printf writes a part of the result.
func (c *console) printf(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

// result writes what a verb has found: its members in JSON, else the text of texts.txt.tmpl.
func (c *console) result(text string, data any, members ...any) error {
	if c.JSON {
		return c.document(members...)
	}
	c.aligned(say(text, data))
	return nil
}

// document writes version 1 of a verb's JSON form, with members by their names, in order. The version grows when something
// in a form means something else.
func (c *console) document(members ...any) error {
	var text bytes.Buffer
	text.WriteString(`{"version": 1`)
	for pair := range slices.Chunk(members, 2) {
		fmt.Fprintf(&text, ", %q: ", pair[0])
		if err := report.WriteJSON(&text, pair[1]); err != nil {
			return err
		}
	}
	text.WriteString("}")
	return report.WriteJSON(c.out, json.RawMessage(text.Bytes()))
}

// notef tells what happens, to people only.
func (c *console) notef(format string, args ...any) { fmt.Fprintf(c.err, format, args...) }

// show writes diagnostics.
func (c *console) show(list diag.List, sources map[string][]byte) {
	if len(list) > 0 {
		_ = list.Render(c.err, sources, coloured(c.err)) // nowhere else to say it
	}
}

// terminalWidth measures the terminal that w is; 0 for anything else.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, _ := term.GetSize(int(f.Fd())) // 0 where it does not say
	return cmp.Or(width, 80)
}

// coloured says whether w is a terminal that is to have colours. See https://no-color.org.
func coloured(w io.Writer) bool { return terminalWidth(w) > 0 && os.Getenv("NO_COLOR") == "" }

// agree asks a question, which anything but y or yes answers with an error.
func (c *console) agree(ctx context.Context, question string) error {
	c.notef("%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n') // no line is no answer
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case said := <-answer:
		if said == "y" || said == "yes" {
			return nil
		}
		return refuse("nothing done", nil)
	}
}

// exitCode ends the program without a message: all messages have been written.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// ends is the error of an exit code, none for 0.
func ends(code int) error {
	if code == 0 {
		return nil
	}
	return exitCode(code)
}

// usageError is a command line that makes no sense.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// problems are diagnostics that end the program with exit code 1.
type problems struct {
	list    diag.List
	sources map[string][]byte
}

func (p *problems) Error() string { return fmt.Sprintf("%d problems", len(p.list)) }

// exit reports err and turns it into an exit code.
func (c *console) exit(err error) int {
	var code exitCode
	var usage *usageError
	var found *problems
	var check *install.CheckError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &found):
		c.show(found.list, found.sources)
		return 1
	case errors.As(err, &usage):
		c.show(diag.List{{Severity: diag.Error, Message: usage.message,
			Hint: fmt.Sprintf("Run \"%s --help\".", c.command.CommandPath())}}, nil)
	case errors.Is(err, context.Canceled) && !errors.As(err, &check):
		c.show(diag.List{{Severity: diag.Error, Message: "interrupted"}}, nil)
	default:
		c.show(install.Diagnostics(err), nil)
	}
	return 2
}
