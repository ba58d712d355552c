package clients

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// A new topic is waited for as long as the coordinator does not know it, and for nothing else.
func TestAnnounced(t *testing.T) {
	unknown := &persistence.Error{Code: "UNKNOWN_TOPIC_ID", Err: errors.New("fetch")}
	for name, c := range map[string]struct {
		answers []error // the last one stays
		asked   int
		want    string
	}{
		"known at once":       {[]error{nil}, 1, ""},
		"known a moment on":   {[]error{unknown, unknown, nil}, 3, ""},
		"another refusal":     {[]error{&persistence.Error{Code: "GROUP_AUTHORIZATION_FAILED"}}, 1, "GROUP_AUTHORIZATION_FAILED"},
		"never known":         {[]error{unknown}, 0, "the new topic is not known to the group's coordinator: UNKNOWN_TOPIC_ID"},
		"no answer but cause": {[]error{errors.New("connection refused")}, 1, "connection refused"},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			err := announced(t.Context(), func(context.Context) (history.Opt, error) {
				asked++
				return history.Opt{}, c.answers[min(asked, len(c.answers))-1]
			})
			if c.asked > 0 && asked != c.asked {
				t.Errorf("%s: asked %d times, not %d", name, asked, c.asked)
			}
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v", name, err)
			}
		})
	}
}
