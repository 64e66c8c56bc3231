-- $1: the search path, quoted, for the rest of the transaction.
SELECT set_config('search_path', $1, true)
