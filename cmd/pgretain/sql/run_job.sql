-- $1: job; $2: as_of, NULL for now; $3: reason; $4: whether all is undone.
CALL retention.run_job($1, $2::text::timestamptz, $3, NULL, dry_run => $4::bool);
