-- Parameters: $1 policy, $2 as_of (NULL: now), $3 reason, $4 dry run, $5 scope.
CALL retention.run($1, $2::text::timestamptz, $3, NULL, dry_run => $4::bool, scope => $5::text::jsonb);
