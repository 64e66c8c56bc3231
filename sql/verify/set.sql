-- Changes a setting for the rest of the transaction.
-- $1: the name of the setting
-- $2: the value
SELECT set_config($1, $2, true)
