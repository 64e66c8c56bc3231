-- Findings on sequences of the runtime's tables whose next number is already used.
SELECT 'retention.' || b.sequence_name AS object,
       format('sequence "retention.%s" is behind table "retention.%s"', b.sequence_name, b.table_name) AS message,
       format('The next number is one that the table has, or a smaller one; the largest is %s. Functions that write there fail (23505).', b.largest) AS detail,
       format('SELECT setval(%L, %s);', format('retention.%I', b.sequence_name), b.largest) AS hint
FROM retention._sequences_behind() b ORDER BY 1
