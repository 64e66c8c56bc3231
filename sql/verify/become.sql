-- $1: a role, for the rest of the transaction.
SELECT set_config('role', $1, true)
