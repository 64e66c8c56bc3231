ALTER TYPE retention.step ADD ATTRIBUTE more integer;
