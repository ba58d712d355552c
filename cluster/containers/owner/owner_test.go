package owner

import (
	"os"
	"os/exec"
	"testing"
	"testing/fstest"
)

var self = Owner{PID: 1, Started: "5", Boot: "b1", Namespace: "pid:[1]"}

// proc is a /proc in which process 7 is called name, in the given state since tick 4242.
func proc(name, state string) fstest.MapFS {
	line := "7 (" + name + ") " + state + " 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 9 0 4242 123 456\n"
	return fstest.MapFS{
		"7/stat":                    {Data: []byte(line)},
		"sys/kernel/random/boot_id": {Data: []byte("b1\n")},
	}
}

func seven() Owner { return Owner{PID: 7, Started: "4242", Boot: "b1", Namespace: "pid:[1]"} }

func TestFate(t *testing.T) {
	with := func(change func(*Owner)) Owner { o := seven(); change(&o); return o }
	for name, c := range map[string]struct {
		owner Owner
		proc  fstest.MapFS
		want  Fate
	}{
		"running":                    {seven(), proc("chaos", "S"), Alive},
		"a name with parentheses":    {seven(), proc("a) R (b c", "S"), Alive},
		"gone":                       {with(func(o *Owner) { o.PID = 8 }), proc("chaos", "S"), Dead},
		"its pid used again":         {with(func(o *Owner) { o.Started = "4241" }), proc("chaos", "S"), Dead},
		"ended, not yet waited for":  {seven(), proc("chaos", "Z"), Dead},
		"another boot":               {with(func(o *Owner) { o.Boot = "b0" }), proc("chaos", "S"), OtherBoot},
		"another pid namespace":      {with(func(o *Owner) { o.Namespace = "pid:[2]"; o.PID = 8 }), proc("chaos", "S"), Elsewhere},
		"another namespace and boot": {with(func(o *Owner) { o.Namespace = "pid:[2]"; o.Boot = "b0" }), proc("chaos", "S"), Elsewhere},
	} {
		got, err := c.owner.fate(c.proc, self)
		if err != nil || got != c.want {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, c.want)
		}
	}
}

// What can't be read is not proof of death.
func TestFateOfUnreadable(t *testing.T) {
	got, err := seven().fate(fstest.MapFS{"7/stat": {Data: []byte("7 torn")}}, self)
	if err == nil || got == Dead {
		t.Errorf("got %v, %v, want an error and not dead", got, err)
	}
}

func TestLabelsRoundTrip(t *testing.T) {
	for _, labels := range []map[string]string{seven().Labels("r1"), seven().WarmLabels("r1")} {
		if got, ok := FromLabels(labels); !ok || got != seven() {
			t.Errorf("got %v, %v from %v", got, ok, labels)
		}
	}
	if seven().Labels("r1")[LabelWarm] != "" || seven().WarmLabels("r1")[LabelWarm] == "" {
		t.Error("only warm labels are warm")
	}
	for _, labels := range []map[string]string{nil, {LabelPID: "x"}, {LabelPID: "7"}} {
		if o, ok := FromLabels(labels); ok {
			t.Errorf("%v was taken for ours: %v", labels, o)
		}
	}
}

func TestNames(t *testing.T) {
	name := seven().Name() + "5d6e7f80-1-cassandra-lww"
	near := Owner{PID: 1, Started: "5", Boot: "b1", Namespace: "pid:[1]"}
	if got, ok := FromName(name, near); !ok || got != seven() {
		t.Errorf("got %v, %v from %s", got, ok, name)
	}
	if len(seven().Name()) > 40 {
		t.Errorf("%s leaves no room in a keyspace's 48 characters", seven().Name())
	}
	for _, far := range []Owner{{Boot: "b0", Namespace: "pid:[1]"}, {Boot: "b1", Namespace: "pid:[2]"}} {
		o, ok := FromName(name, far)
		if fate, err := o.fate(proc("chaos", "S"), far); !ok || fate != Elsewhere || err != nil {
			t.Errorf("seen from %v the owner of %s is %v, %v", far, name, fate, err)
		}
	}
	for _, other := range []string{"", "chaos", "chaos_warm", "chaos_7_4242_b1_x", "x" + name, "chaos_-7_1_00000000_x"} {
		if o, ok := FromName(other, near); ok {
			t.Errorf("%q was taken for ours: %v", other, o)
		}
	}
}

func TestSelfIsAliveAndAChildDies(t *testing.T) {
	me, err := Self()
	if err != nil {
		t.Skip(err)
	}
	if fate, err := me.Fate(me); err != nil || fate != Alive {
		t.Errorf("this process is %v, %v", fate, err)
	}
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	theirs := me
	theirs.PID = child.Process.Pid
	theirs.Started, _, err = stat(os.DirFS("/proc"), child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if fate, err := theirs.Fate(me); err != nil || fate != Alive {
		t.Errorf("the running child is %v, %v", fate, err)
	}
	child.Process.Kill()
	child.Wait()
	if fate, err := theirs.Fate(me); err != nil || fate != Dead {
		t.Errorf("the killed child is %v, %v", fate, err)
	}
}
