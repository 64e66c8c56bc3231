-- For tables that are not the runtime's, until the transaction's end: what row security hides is not there.
SELECT set_config('row_security', 'on', true)
