-- The index of the chain, as the application reads it.
SELECT record - ARRAY['bestSigs', 'topWals', 'lastSigs', 'signalKeys', 'tokenKeys', 'walletKeys'] AS index_record
FROM channel.index_record WHERE chain_id = 501;
SELECT jsonb_array_length(record -> 'bestSigs') AS best_sigs, record -> 'bestSigs' -> 0 AS best,
       jsonb_array_length(record -> 'topWals') AS top_wals, record -> 'topWals' -> 0 AS top,
       jsonb_array_length(record -> 'lastSigs') AS last_sigs
FROM channel.index_record WHERE chain_id = 501;
-- A message of the archive.
SELECT tags, jsonb_pretty(record) AS record FROM channel.archive_message ORDER BY id DESC LIMIT 1;
-- The other chains have their own jobs. A user may ask what such a job would take, and run a policy
-- by hand with a reason.
CALL retention.run_job('eth', dry_run => true);
CALL retention.run('tokens', scope => '{"chain_id": 1}', reason => 'room for the new tokens');
SELECT kind, reason, note, chain_id, count(*) FROM channel.archive
GROUP BY kind, reason, note, chain_id ORDER BY chain_id, kind, reason;
-- The reports of job watch: records that never expire, and the growth of the archive.
CALL retention.run_job('watch');
SELECT name, alerts, jsonb_pretty(rows) AS rows FROM retention.report ORDER BY id;
