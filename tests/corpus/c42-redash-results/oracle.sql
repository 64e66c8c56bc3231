-- as_of: 2026-03-01 12:00:00+00

-- table: public.query_results
WITH unused AS (
    SELECT r.id, row_number() OVER (ORDER BY r.retrieved_at, r.id) AS place
    FROM query_results r LEFT JOIN queries q ON q.latest_query_data_id = r.id
    WHERE q.id IS NULL AND r.retrieved_at < :as_of - interval '7 days')
SELECT * FROM query_results WHERE id NOT IN (SELECT id FROM unused WHERE place <= 100 * :round);
