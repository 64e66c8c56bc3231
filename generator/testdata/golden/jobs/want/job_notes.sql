-- as owner
DELETE FROM retention.job WHERE name = 'notes';
INSERT INTO retention.job (name, description, schedules, policies)
VALUES ('notes', 'at night, and after a start', ARRAY['0 1 * * *', '@reboot', '30 seconds']::text[], ARRAY['notes_old', 'notes_cap']::text[]);

-- to drop it
DELETE FROM retention.job WHERE name = 'notes';
