ALTER TABLE retention.hold OWNER TO retention_operator;
