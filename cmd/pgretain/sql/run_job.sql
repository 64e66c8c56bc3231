-- Parameters: $1 job, $2 as_of (NULL: now), $3 reason, $4 dry run.
CALL retention.run_job($1, $2::text::timestamptz, $3, NULL, dry_run => $4::bool);
