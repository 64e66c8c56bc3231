CREATE TABLE app.old_session () INHERITS (app.session);
CREATE TABLE app.old_ledger () INHERITS (app.ledger);
