-- Parameter: $1 process ID of the backend that runs. Returns a line about its progress.
SELECT format('%s: %s%s%s rows, %s rows/s%s%s', p.policy,
              '[' || rpad(repeat('#', (20.0 * least(p.taken, p.due) / nullif(p.due, 0))::integer), 20, '.') || '] ',
              to_char(p.taken, 'FM999,999,999,999,999,990'),
              ' of ' || to_char(p.due, 'FM999,999,999,999,999,990'),
              to_char(coalesce(p.rows_per_second, 0), 'FM999,999,999,999,999,990'),
              ', ' || date_trunc('second', p.time_left) || ' left',
              CASE WHEN p.waited_s > 0 THEN format(', waited %s s for %s', p.waited_s, p.waited_for) END)
FROM retention.progress p
WHERE p.pid = $1
ORDER BY p.run DESC
LIMIT 1;
