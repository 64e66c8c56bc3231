-- Adopts a copied database, and reads its rows and indexes into memory.
SELECT retention.adopt('bench');
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT count(*) FROM public.message WHERE id > 0;
SELECT count(body) FROM public.message WHERE ts > '-infinity';
SELECT count(body) FROM public.queue WHERE id > 0;
SELECT count(*) FROM public.task WHERE id > 0;
SELECT count(body) FROM public.task WHERE ts > '-infinity';
SELECT count(*) FROM public.queue WHERE device > '';
SELECT count(body) FROM public.letter WHERE id > 0;
SELECT count(*) FROM public.letter WHERE ts > '-infinity';
SELECT count(*) FROM public.page WHERE id > 0;
SELECT count(letter_id) FROM public.page WHERE letter_id > 0;
SELECT count(body) FROM public.bill WHERE id > 0;
SELECT count(*) FROM public.bill WHERE ts > '-infinity';
SELECT count(*) FROM public.payment WHERE bill_id > 0;
RESET enable_seqscan;
RESET enable_bitmapscan;
