-- Returns the clocks of a policy whose encoding is wrong, or that have values which are not
-- timestamps in it.
-- $1: the policy
-- $2: the present time
-- Columns of the result:
-- - clock: its column
-- - encoding: the kind of its encoding
-- - seen: how many values were sampled
-- - lost: how many of them are not timestamps
-- - explained: how many values contradict the encoding
-- - example: a value
-- - fault: why runs trip, in the words of the runtime; '' if they do not
SELECT e.clock, e.kind AS encoding, e.seen, e.lost, e.explained, coalesce(e.example, '') AS example,
       coalesce(e.fault, '') AS fault
FROM retention._clock_evidence($1, $2) e WHERE e.fault IS NOT NULL OR e.lost > 0
