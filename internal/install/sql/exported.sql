-- Parameter: $1 numbers of the exported holds, as bigint[]. migrate down may then drop these holds.
SELECT pg_catalog.set_config('pgretain.holds_exported', $1, false)
