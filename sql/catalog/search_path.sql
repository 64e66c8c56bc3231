-- Sets the search path until the transaction ends.
-- $1 text: the path, quoted.
SELECT set_config('search_path', $1, true);
