package images
import ("testing";"os";"time";"context";"strings")
type w struct{ at string; cancel func() }
func (w w) Write(p []byte)(int,error){ os.Stderr.Write(p); if w.at!="" && strings.Contains(string(p), w.at) { time.AfterFunc(5*time.Second, w.cancel) }; return len(p),nil }
func TestZZCancel(t *testing.T){ if os.Getenv("TRY")=="" {t.Skip()}
 ctx,cancel:=context.WithCancel(t.Context()); defer cancel()
 s:=time.Now(); err:=Build(ctx, Options{Out:w{os.Getenv("TRY"),cancel}, Force:true}); t.Log(time.Since(s), err) }
