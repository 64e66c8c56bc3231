// Package quote is the only place where names and values become SQL text.
package quote

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"pgretain/internal/lists"
)

// Ident quotes an identifier if necessary. Quotes are necessary if the identifier contains other
// characters than lower-case letters, digits and "_". They are also necessary if it begins with a
// digit, or is a key word of SQL or PL/pgSQL.
// https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS
func Ident(name string) string {
	// ":" sorts after the digits, so the name begins with a letter or "_"
	plain := name > ":" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
	if plain && !slices.Contains(Keywords, name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Idents quotes a list of names.
func Idents(names []string) string { return strings.Join(lists.Map(names, Ident), ", ") }

// Qualified quotes schema and name.
func Qualified(schema, name string) string { return Ident(schema) + "." + Ident(name) }

// File returns the content of an SQL file. It panics if the file does not exist, because file names
// are constants of this program.
func File(files fs.FS, name string) string {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// InSchema returns the content of an SQL file with the install's schema in place of "retention".
func InSchema(files fs.FS, name, schema string) string {
	return strings.ReplaceAll(File(files, name), "retention.", Ident(schema)+".")
}

// Literal quotes a text value. A backslash or a line break makes it an escape string (E'...'). So
// the result has one line and does not depend on standard_conforming_strings.
func Literal(value string) string {
	plain := strings.ReplaceAll(value, `'`, `''`)
	if !strings.ContainsAny(value, "\\\n\r\t") {
		return `'` + plain + `'`
	}
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
	return `E'` + escape.Replace(plain) + `'`
}

// Array quotes a text array constructor with its type.
func Array(values []string) string {
	return "ARRAY[" + strings.Join(lists.Map(values, Literal), ", ") + "]::text[]"
}

// Comment makes a text safe for a comment: one line without control characters.
func Comment(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
}

// OneLine replaces each line break and the blanks around it by a space.
func OneLine(text string) string {
	if !strings.ContainsAny(text, "\r\n") { // most texts have one line
		return text
	}
	return lineBreak.ReplaceAllString(text, " ")
}

var lineBreak = regexp.MustCompile(`[ \t]*[\r\n][ \t\r\n]*`)

// Keywords are the key words of PostgreSQL 15 to 18, without the unreserved ones. They include the
// reserved words of PL/pgSQL. https://www.postgresql.org/docs/current/sql-keywords-appendix.html
var Keywords = strings.Fields(`
	all analyse analyze and any array as asc asymmetric authorization begin between bigint binary bit boolean both
	by case cast char character check coalesce collate collation column concurrently constraint create cross
	current_catalog current_date current_role current_schema current_time current_timestamp current_user dec
	decimal declare default deferrable desc distinct do else end except execute exists extract false fetch float
	for foreach foreign freeze from full grant greatest group grouping having if ilike in initially inner inout
	int integer intersect interval into is isnull join json json_array json_arrayagg json_exists json_object
	json_objectagg json_query json_scalar json_serialize json_table json_value lateral leading least left like
	limit localtime localtimestamp loop merge_action national natural nchar none normalize not notnull null nullif
	numeric offset on only or order out outer overlaps overlay placing position precision primary real references
	returning right row select session_user setof similar smallint some strict substring symmetric system_user
	table tablesample then time timestamp to trailing treat trim true union unique user using values varchar
	variadic verbose when where while window with xmlattributes xmlconcat xmlelement xmlexists xmlforest
	xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable
`)
