-- Of six holds one lost its row and one's row got another key. The others have their row, never had one, are
-- over, or hold whatever comes.
INSERT INTO app.message (body) SELECT 'm' || i FROM generate_series(1, 4) i;
INSERT INTO app.attachment (message_id) VALUES (4);
SELECT retention.place_hold('app.message', '1', 'case 1'), retention.place_hold('app.message', '2', 'case 2'),
       retention.place_hold('app.message', '77', 'not there yet'), retention.place_hold('app.message', '3', 'over', now() - interval '1 day'),
       retention.place_hold('app.attachment', '{"message_id": 9}', 'case 4'), retention.place_hold('app.message', '4', 'case 5');
DELETE FROM app.message WHERE id IN (2, 3);
UPDATE app.message SET id = DEFAULT WHERE id = 1;
