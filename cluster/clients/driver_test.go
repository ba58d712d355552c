package clients

import (
	"testing"
	"time"
)

func TestDriver(t *testing.T) {
	for _, c := range []struct {
		driver Driver
		name   string
		bound  time.Duration
	}{
		{Driver{}, "apache/cassandra-gocql-driver 2.1.2", 5 * time.Second},
		{Driver{Name: "gocql1"}, "gocql/gocql 1.7.0", 5 * time.Second},
		{Driver{Name: "gocql1", Retries: 2}, "gocql/gocql 1.7.0, retries 2", 15 * time.Second},
		{Driver{Name: "gocql2", Retries: 1, Pause: time.Second}, "apache/cassandra-gocql-driver 2.1.2, retries 1 after 1s", 11 * time.Second},
	} {
		if err := c.driver.Check(); err != nil {
			t.Error(err)
		}
		if got := c.driver.String(); got != c.name {
			t.Errorf("%+v is %s, not %s", c.driver, got, c.name)
		}
		if got := c.driver.bound(5 * time.Second); got != c.bound {
			t.Errorf("%+v may take %s, not %s", c.driver, got, c.bound)
		}
	}
	for _, d := range []Driver{{Name: "gocql3"}, {Retries: -1}, {Retries: 11}, {Pause: time.Second}, {Retries: 1, Pause: time.Minute}} {
		if d.Check() == nil {
			t.Errorf("%+v is taken", d)
		}
	}
}
