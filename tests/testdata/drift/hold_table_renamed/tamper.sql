-- The table may have been renamed, or dropped: nobody can tell what is held. The second hold is over.
GRANT SELECT ON app.unnamed TO retention_worker;
SELECT retention.place_hold('app.unnamed', '1', 'case 3'), retention.place_hold('app.unnamed', '2', 'case 4', now() - interval '1 hour');
ALTER TABLE app.unnamed RENAME TO renamed;
