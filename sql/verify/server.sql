-- Where and as whom the verifier looks. $1: the runtime's schema. One row: database, role, the
-- instant up to which the database tells what happened, whether the schema is there, whether the
-- role may use it, its owner, the clock, whether the server is a standby, and its major version. A
-- standby tells what happened until its last replayed transaction, or until now where it streams
-- and has replayed all it got.
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
