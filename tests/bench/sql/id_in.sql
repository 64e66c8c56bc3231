CALL bench.id_in($1)
