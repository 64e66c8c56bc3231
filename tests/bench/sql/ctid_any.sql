CALL bench.ctid_any($1)
