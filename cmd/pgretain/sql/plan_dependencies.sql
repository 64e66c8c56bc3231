-- Parameter: $1 objects that do not exist yet because the migration would create them. Removes them
-- from the dependencies of the policies, because a run would trip without them.
UPDATE retention.policy SET dependencies = dependencies - $1::text[];
