-- $1: a policy for each schema. A dry run makes the pages of its members.
CALL retention.run($1, NULL, NULL, NULL, scope => '"all"', dry_run => true);
