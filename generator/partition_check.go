package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// checkPartitionPolicy refuses a table whose partitions cannot be told apart by time.
func (c *compiler) checkPartitionPolicy(p *policy.Policy) bool {
	table := c.relation(p.Table)
	if table == nil {
		return false
	}
	refuse := func(code, message, hint string) bool {
		c.refuse(p.Table.Position, code, fmt.Sprintf("%q %s", p.Table, message), hint)
		return false
	}
	switch {
	case table.Kind != "partitioned":
		return refuse(codeTableKind, "is a "+table.Kind+", not a partitioned table", "Write \"table\" for a policy on rows.")
	case table.PartitionOf != "":
		return refuse(codeTableKind, fmt.Sprintf("is a partition of %q", table.PartitionOf), "Name the table above it.")
	case table.Strategy == "":
		return refuse(codeSnapshotOld, "has no partition key in the catalog snapshot", `Run "pgretain snapshot" again.`)
	case c.partitionedOf(p) == nil:
		return refuse(codeTableKind, "is not partitioned by the range of a column",
			"A policy on partitions needs PARTITION BY RANGE on a column, or BY LIST on a column over partitions that are all by RANGE on the same column.")
	}
	return true
}

// checkPartitioned refuses keys without an order of their own, and protected partitions.
func (c *compiler) checkPartitioned(p *policy.Policy, t *partitioned) bool {
	if keyFloors[keyType(t.key)] == "" {
		c.refuse(p.Table.Position, codeClockType, fmt.Sprintf("%q is partitioned by %q of type %q, which is neither a date nor a number", p.Table, t.key.Name, t.key.Type),
			"Keys may be dates, timestamps, numbers and uuid.")
		return false
	}
	before := len(c.diags)
	c.checkProtected(p)
	return len(c.diags) == before
}

// checkPartitionSteps refuses steps that look into a partition which an earlier one took away.
func (c *compiler) checkPartitionSteps(p *policy.Policy) bool {
	before := len(c.diags)
	away := false
	for _, s := range p.Then {
		if away {
			c.refusePartitionRead(s)
		}
		away = away || s.Detach != nil || s.Drop != nil
	}
	return len(c.diags) == before
}

// refusePartitionRead refuses to read what a partition holds when it is gone.
func (c *compiler) refusePartitionRead(s policy.Step) {
	for _, part := range (&policy.Policy{Then: []policy.Step{s}}).Parts() {
		parsed, err := part.Parse()
		if err != nil {
			continue // reported where it is compiled
		}
		if i := slices.IndexFunc(parsed.Tables, isPartition); i >= 0 {
			c.refuse(part.Expr.At(parsed.Tables[i].Offset), codeStep, "\"partition\" is empty once the partition has gone",
				"Move this step before \"detach\" or \"drop\".")
		}
	}
}

func isPartition(ref pgparse.TableRef) bool { return ref.Schema == "" && ref.Name == "partition" }
