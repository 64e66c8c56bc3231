-- $1: policy; $2: as_of, NULL for now; $3: reason; $4: scope.
CALL retention.run($1, $2::text::timestamptz, $3, NULL, scope => $4::text::jsonb);
