-- Returns one row about the server and the session.
-- $1: the runtime's schema
-- Columns of the result:
-- - the database
-- - the session's role
-- - the time up to which the database has all changes. On a standby it is the last replayed commit,
--   or now if the standby streams and has replayed all that it received.
-- - whether the schema exists
-- - whether the role may use the schema
-- - the owner of the schema
-- - the present time
-- - whether the server is a standby
-- - the server's major version
SELECT current_database()::text, current_user::text,
       CASE WHEN pg_is_in_recovery()
             AND (pg_last_wal_receive_lsn() IS DISTINCT FROM pg_last_wal_replay_lsn()
                  OR NOT EXISTS (SELECT FROM pg_stat_wal_receiver))
            THEN coalesce(greatest(pg_last_xact_replay_timestamp(),
                                   (SELECT c.checkpoint_time FROM pg_control_checkpoint() c)),
                          statement_timestamp())
            ELSE statement_timestamp() END,
       n.oid IS NOT NULL,
       coalesce(has_schema_privilege(n.oid, 'USAGE'), false),
       coalesce(pg_get_userbyid(n.nspowner)::text, ''), statement_timestamp(), pg_is_in_recovery(),
       (current_setting('server_version_num')::integer / 10000)::text
FROM (SELECT) AS one LEFT JOIN pg_namespace n ON n.nspname = $1
