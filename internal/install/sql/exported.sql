-- $1: the ids of the holds that were written, as bigint[].
SELECT pg_catalog.set_config('pgretain.holds_exported', $1, false)
