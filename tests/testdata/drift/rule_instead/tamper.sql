CREATE RULE keep AS ON DELETE TO app.session DO INSTEAD NOTHING;
CREATE RULE tell AS ON DELETE TO app.attachment DO ALSO NOTIFY gone;
-- Of another event, without effect, switched off, of a table that nothing deletes from.
CREATE RULE no_update AS ON UPDATE TO app.session DO INSTEAD NOTHING;
CREATE RULE nothing AS ON DELETE TO app.message DO ALSO NOTHING;
CREATE RULE off AS ON DELETE TO app.message DO INSTEAD NOTHING;
ALTER TABLE app.message DISABLE RULE off;
CREATE RULE elsewhere AS ON DELETE TO app.unnamed DO INSTEAD NOTHING;
