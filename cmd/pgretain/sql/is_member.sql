-- Returns whether the role of the session is a member of a role. It returns false if there is no
-- such role.
-- $1: the role
SELECT coalesce(bool_or(pg_has_role(r.oid, 'MEMBER')), false) FROM pg_roles r WHERE r.rolname = $1;
