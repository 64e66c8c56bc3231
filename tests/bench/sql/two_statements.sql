CALL bench.two_statements($1)
