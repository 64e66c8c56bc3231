-- What statements of the policy do to tables, as in "DELETE public.message": rules may rewrite these. NULL for
-- policies that were installed before anybody wrote that down.
ALTER TABLE retention.policy ADD COLUMN IF NOT EXISTS writes text[];
