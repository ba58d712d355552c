package persistence

// The last-write-wins strategy: the state of kafka-flow's master. Nothing on the row asks who is newer; Cassandra keeps,
// cell by cell, what was written with the greatest timestamp.

// plainPersist writes the state whatever is stored.
func plainPersist(c *compound) error {
	_, err := c.send(Update, Always)
	return err
}

// plainDelete removes the row whatever is stored.
func plainDelete(c *compound) error {
	_, err := c.send(Remove, Always)
	return err
}
