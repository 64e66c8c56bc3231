-- Parameter: $1 database of the tables. Jobs of a policy file without install.database run there.
SELECT set_config('pgretain.database', $1, false);
