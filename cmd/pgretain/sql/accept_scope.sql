-- $1: policy; $2: reason; $3: how many rows at most; $4: the scope of the run that may take them, NULL for the only one.
SELECT retention.accept($1::text, $2::text, $3::text::bigint, scope => $4::text::jsonb);
