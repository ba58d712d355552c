package checker

// Meets tells whether the run came out as stated, and in plain words where it did not.
func (rep Report) Meets(e Expectation) (ok bool, deviations []string) {
	for _, d := range rep.Deviations(e) {
		deviations = append(deviations, d.Text)
	}
	return len(deviations) == 0, deviations
}
