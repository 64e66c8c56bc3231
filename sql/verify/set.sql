-- A setting for the rest of the transaction. $1: its name; $2: the value.
SELECT set_config($1, $2, true)
