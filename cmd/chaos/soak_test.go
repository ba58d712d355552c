package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/single-writer/chaos/controller"
)

// Ctrl-C ends a soak with the summary of what was done, and with the exit code of one that did not finish.
func TestSoakInterrupted(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, out := filepath.Join(dir, "chaos"), filepath.Join(dir, "out")
	if err := os.Symlink(self, binary); err != nil {
		t.Fatal(err)
	}
	r := startRig(t, binary, "soak", "calm", "--for", "1h", "--out", out)
	r.until("the soak has begun", func() bool { return exists(out) })
	r.interrupt()
	if code, _ := r.end(time.Minute); code != controller.ExitRig {
		t.Errorf("exit %d", code)
	}
	if !strings.HasPrefix(r.printed(), "NOT FINISHED: calm") || !strings.Contains(r.said(), "exit 70") || !holds(filepath.Join(out, "soak.json"), `"exit": 70`) {
		t.Errorf("%s\n%s", r.printed(), r.said())
	}
}

// The seeds of two soaks do not meet, unless the first did more than a thousand rounds a second.
func TestNewSeed(t *testing.T) {
	one := time.Date(2026, 1, 31, 2, 30, 0, 0, time.UTC)
	if a, b := newSeed(one), newSeed(one.Add(time.Hour)); b-a != 3600*1000 || a <= 0 {
		t.Errorf("%d, %d", a, b)
	}
}

// nightly is the text behind a mark in docs/nightly.md, up to the end of its block.
func nightly(t *testing.T, mark string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "nightly.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(page), mark)
	block, _, closed := strings.Cut(text, "\n```\n")
	if !ok || !closed {
		t.Fatalf("docs/nightly.md has no block behind %q", mark)
	}
	return block
}

// The line for the crontab in docs/nightly.md does what the page says, as cron runs it: the summary in a folder by date, mail when
// a night was not as stated, and never two at a time.
func TestNightlyLine(t *testing.T) {
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skipf("this machine has no flock: %v", err)
	}
	home := t.TempDir()
	self, err := os.Executable()
	if err = errors.Join(err, os.Mkdir(filepath.Join(home, "bin"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(home, "bin", "chaos")); err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(nightly(t, "\n30 1 * * * "), "\n")
	if strings.Contains(line, "%") {
		t.Fatal("cron takes a % for the end of a line")
	}
	line = strings.NewReplacer("/srv/chaos", home, "--for 6h", "calm --for 100ms").Replace(line)
	tonight := func() string {
		out, err := exec.Command("/bin/sh", "-c", line).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		return string(out)
	}
	if mail := tonight(); mail != "" {
		t.Errorf("a night that was as stated sends mail: %s", mail)
	}
	if found, err := filepath.Glob(filepath.Join(home, "nightly", "20??-??-??", "soak.md")); err != nil || len(found) != 1 {
		t.Errorf("%v: %v", err, found)
	}
	mail := tonight()
	if mail == "" {
		mail = tonight() // midnight was between the two: the first of the new day
	}
	if !strings.Contains(mail, "exists already") || !strings.HasSuffix(mail, "exit 64\n") {
		t.Errorf("a second soak of the day: %q", mail)
	}
	lock, err := os.Open(filepath.Join(home, "nightly", "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if mail := tonight(); mail != "the soak of the night before still runs\n" {
		t.Errorf("beside another: %q", mail)
	}
}

// The units in docs/nightly.md are what systemd takes without a word.
func TestNightlyUnits(t *testing.T) {
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skipf("this machine has no systemd: %v", err)
	}
	dir := t.TempDir()
	for _, name := range []string{"chaos-nightly.service", "chaos-nightly.timer"} {
		unit := strings.ReplaceAll(nightly(t, name+"`:\n\n```ini\n"), "/srv/chaos", dir)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(unit+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(verify, "verify", filepath.Join(dir, "chaos-nightly.timer"), filepath.Join(dir, "chaos-nightly.service")).CombinedOutput()
	if err != nil || strings.Contains(string(out), dir) {
		t.Errorf("%v\n%s", err, out)
	}
}
