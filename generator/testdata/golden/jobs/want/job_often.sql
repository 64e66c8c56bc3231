-- as owner
DELETE FROM retention.job WHERE name = 'often';
INSERT INTO retention.job (name, schedules, policies)
VALUES ('often', ARRAY['*/5 * * * *']::text[], ARRAY['notes_cap']::text[]);

-- to drop it
DELETE FROM retention.job WHERE name = 'often';
