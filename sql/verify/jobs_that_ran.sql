-- Which jobs ever ran anything. $1: jobs.
SELECT j.name FROM unnest($1::text[]) AS j (name)
WHERE EXISTS (SELECT FROM retention.run r WHERE r.job = j.name AND NOT r.dry_run)
