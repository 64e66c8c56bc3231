-- $1: the database of the tables, for jobs of a policy file that names none.
SELECT set_config('pgretain.database', $1, false);
