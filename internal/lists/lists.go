// Package lists has what package slices lacks.
package lists

// Map is what f makes of the items of a list; never nil, which would be null in JSON and NULL to a server.
func Map[T, R any](list []T, f func(T) R) []R {
	made := make([]R, len(list))
	for i, item := range list {
		made[i] = f(item)
	}
	return made
}
