package generator

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"pgretain/internal/diag"
	"pgretain/policy"
)

// unworded are fields that no page has: names that are in the path, columns, which are objects of their own, and what
// changes no SQL; Order is said by OrderText.
var unworded = map[string]bool{
	"Policy.Name": true, "Report.Name": true, "Guard.Name": true, "Join.Name": true,
	"Policy.Ensure": true, "Policy.Triggers": true, "Rank.Order": true,
}

// plainFields give their parts no name of their own.
var plainFields = map[string]bool{"Entries": true, "Tiers": true, "Clock": true, "Interval": true}

// words are the properties of a policy or report, one a line, in the order of the file: "batch.rows: 500". Whatever means
// the same is said in the same words. None is an annotation of a migration tool.
func words(definition any) []string {
	var list []string
	word("", reflect.ValueOf(definition), func(path, text string) {
		list = append(list, strings.ReplaceAll(comment(path+": "+text), "+goose", "(+)goose"))
	})
	return list
}

// policyWords are those of a policy, but for whole sections that are as they are by default.
func policyWords(p *policy.Policy) []string {
	all, byDefault := words(p), defaultWords()
	return slices.DeleteFunc(slices.Clone(all), func(word string) bool {
		return slices.Contains(byDefault, word) && slices.Equal(sectionOf(all, word), sectionOf(byDefault, word))
	})
}

// defaultWords are the bounds that hold where a file says nothing.
func defaultWords() []string {
	return slices.DeleteFunc(words(policy.Default()), func(word string) bool { return strings.HasPrefix(word, "table: ") })
}

// sectionOf are the words of the section that a word is in.
func sectionOf(all []string, word string) []string {
	name, _, _ := strings.Cut(word, ".")
	return slices.DeleteFunc(slices.Clone(all), func(other string) bool { return !strings.HasPrefix(other, name+".") })
}

func word(path string, v reflect.Value, add func(path, text string)) {
	if text, ok := wordText(v); ok {
		if text != "" {
			add(path, text)
		}
		return
	}
	if a, ok := v.Interface().(policy.Assignment); ok {
		add(path, oneLine(a.Value.SQL))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			word(path, v.Elem(), add)
		}
	case reflect.Slice:
		wordSlice(path, v, add)
	case reflect.Struct:
		said := false
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !unworded[v.Type().Name()+"."+f.Name] {
				word(below(path, f.Name), v.Field(i), func(path, text string) { said = true; add(path, text) })
			}
		}
		if !said && path != "" && v.NumField() < 2 { // a step that says no more
			add(path, "yes")
		}
	}
}

// wordSlice names the items of a list by what they are called, else by their number; plain ones are on one line.
func wordSlice(path string, v reflect.Value, add func(path, text string)) {
	var texts []string
	for i := range v.Len() {
		item := v.Index(i)
		if text, ok := wordText(item); ok {
			texts = append(texts, text)
			continue
		}
		name := ""
		if v.Len() > 1 {
			name = fmt.Sprint(i + 1)
		}
		for _, field := range []string{"Name", "Column"} {
			if f := item.FieldByName(field); item.Type().Name() != "Clock" && f.IsValid() && f.Kind() == reflect.String {
				name = f.String()
			}
		}
		word(strings.Trim(path+"."+name, "."), item, add)
	}
	if len(texts) > 0 {
		add(path, strings.Join(texts, ", "))
	}
}

// wordText is the text of what has no parts; "" says nothing.
func wordText(v reflect.Value) (string, bool) {
	switch x := v.Interface().(type) {
	case diag.Position:
		return "", true
	case policy.Expr:
		return oneLine(x.SQL), true
	case policy.Table:
		return x.String(), true
	case policy.Name:
		return x.Text, true
	case policy.Interval:
		return x.Text, true
	case time.Duration:
		return nonZero(v, strings.NewReplacer("m0s", "m", "h0m0s", "h").Replace(x.String())), true
	case policy.Schedule:
		return x.Text, true
	}
	switch v.Kind() {
	case reflect.Bool:
		return nonZero(v, "yes"), true
	case reflect.String, reflect.Int, reflect.Int64, reflect.Float64:
		return nonZero(v, fmt.Sprint(v.Interface())), true
	}
	return "", false
}

func nonZero(v reflect.Value, text string) string {
	if v.IsZero() {
		return ""
	}
	return text
}

// below is the path of a field in the words of the policy file.
func below(path, field string) string {
	if plainFields[field] {
		return path
	}
	var name strings.Builder
	for i, r := range field {
		if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(rune(field[i-1])) {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	return strings.TrimPrefix(path+"."+name.String(), ".")
}

// wordsOf are the first lines of a page: a property of the policy each.
func wordsOf(sql string) []string {
	var words []string
	for line := range strings.Lines(sql) {
		text, ok := strings.CutPrefix(line, "-- ")
		if !ok {
			break
		}
		words = append(words, strings.TrimSuffix(text, "\n"))
	}
	return words
}

// withDefaults adds what a policy's page does not say, since it holds by default.
func withDefaults(said []string) []string {
	if !slices.ContainsFunc(said, func(word string) bool { return strings.HasPrefix(word, "way: ") }) {
		return said // a report
	}
	all := slices.Clone(said)
	for _, word := range defaultWords() {
		if len(sectionOf(said, word)) == 0 {
			all = append(all, word)
		}
	}
	return all
}

// Differences says in words how one page differs from another: "due.window: 7 days -> 3 days".
func Differences(before, after string) string {
	was, is := withDefaults(wordsOf(before)), withDefaults(wordsOf(after))
	var list []string
	for _, word := range was {
		name, old, _ := strings.Cut(word, ": ")
		i := slices.IndexFunc(is, func(other string) bool { return strings.HasPrefix(other, name+": ") })
		switch {
		case i < 0:
			list = append(list, "without "+word)
		case is[i] != word:
			list = append(list, name+": "+old+" -> "+strings.TrimPrefix(is[i], name+": "))
		}
	}
	for _, word := range is {
		name, _, _ := strings.Cut(word, ": ")
		if !slices.ContainsFunc(was, func(other string) bool { return strings.HasPrefix(other, name+": ") }) {
			list = append(list, "with "+word)
		}
	}
	if len(list) == 0 {
		return "the same definition, other SQL"
	}
	return strings.Join(list, "; ")
}
