-- Returns the installed policies with the hash and the description of each.
SELECT p.name, p.hash, coalesce(p.description, '') AS description FROM retention.policy p WHERE NOT p.report;
