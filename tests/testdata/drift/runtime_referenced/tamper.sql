CREATE TABLE app.report_of (run bigint REFERENCES retention.run, seen bigint CONSTRAINT follows REFERENCES retention.run ON DELETE CASCADE);
CREATE TABLE app.more_holds () INHERITS (retention.hold);
