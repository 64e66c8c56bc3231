CALL retention.run($1, $2)
