-- $1: tables that the migration makes; nobody expects them yet.
UPDATE retention.policy SET expects = expects - $1::text[];
