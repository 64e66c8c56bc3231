-- $1: tables that the migration creates. They do not exist yet, so they cannot be compared.
UPDATE retention.policy SET dependencies = dependencies - $1::text[];
