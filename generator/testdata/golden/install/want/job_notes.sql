-- as owner
DELETE FROM keeper.job WHERE name = 'notes';
INSERT INTO keeper.job (name, schedules, policies)
VALUES ('notes', ARRAY['0 3 * * *']::text[], ARRAY['notes_old']::text[]);

-- to drop it
DELETE FROM keeper.job WHERE name = 'notes';
