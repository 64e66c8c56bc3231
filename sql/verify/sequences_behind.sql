-- Sequences of the runtime's tables that would give out numbers that are taken: table, sequence, the largest
-- number in the table.
SELECT b.table_name, b.sequence_name, b.largest FROM retention._sequences_behind() b ORDER BY 1
