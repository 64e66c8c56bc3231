-- Each state with three clocks, of which one counts; a job of a wrong clock is as old as a right one.
INSERT INTO public.oban_jobs (id, state, queue, worker, inserted_at, scheduled_at, cancelled_at, discarded_at)
SELECT row_number() OVER (), state::public.oban_job_state, queue, 'W', '2024-01-01',
       (:as_of - CASE WHEN clock = 1 THEN ago ELSE '0' END) AT TIME ZONE 'UTC',
       (:as_of - CASE WHEN clock = 2 THEN ago END) AT TIME ZONE 'UTC',
       (:as_of - CASE WHEN clock = 3 THEN ago END) AT TIME ZONE 'UTC'
FROM (VALUES ('available'), ('scheduled'), ('executing'), ('retryable'), ('completed'), ('discarded'), ('cancelled')) s(state),
     (VALUES ('default'), ('events')) q(queue),
     (VALUES (interval '60 s'), ('60.000001 s'), ('59.999999 s'), ('10 min'), ('600.000001 s'), ('1 day')) a(ago),
     generate_series(1, 3) clock;
