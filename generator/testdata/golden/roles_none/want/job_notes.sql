-- as owner
DELETE FROM retention.job WHERE name = 'notes';
INSERT INTO retention.job (name, schedules, policies)
VALUES ('notes', ARRAY['@hourly']::text[], ARRAY['notes_old']::text[]);

-- to drop it
DELETE FROM retention.job WHERE name = 'notes';
