// Package lists extends package slices.
package lists

import (
	"cmp"
	"slices"
)

// Map returns the results of f for the items of a list. It never returns nil, because nil would
// become null in JSON and NULL on a server.
func Map[T, R any](list []T, f func(T) R) []R {
	made := make([]R, len(list))
	for i, item := range list {
		made[i] = f(item)
	}
	return made
}

// Distinct returns the items of a list sorted and without duplicates. It never returns nil.
func Distinct[T cmp.Ordered](list []T) []T {
	return append([]T{}, slices.Compact(slices.Sorted(slices.Values(list)))...)
}

// AppendUnique appends an item to a list, unless the list contains the item.
func AppendUnique[T comparable](list []T, item T) []T {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}
