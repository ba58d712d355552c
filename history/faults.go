package history

// The faults that the nemesis can do; its registry says what each does, and what proves it.
const (
	FaultDeliver          = "deliver"
	FaultEvict            = "evict"
	FaultExpire           = "expire"
	FaultFail             = "fail"
	FaultHold             = "hold"
	FaultKill             = "kill"
	FaultLose             = "lose"
	FaultLoseAnswer       = "lose-answer"
	FaultLoseCommit       = "lose-commit"
	FaultLoseCommitAnswer = "lose-commit-answer"
	FaultLoseWrite        = "lose-write"
	FaultPhantom          = "phantom"
	FaultProbe            = "probe"
	FaultReap             = "reap"
	FaultRelease          = "release"
	FaultStart            = "start"
	FaultStop             = "stop"
	FaultUnreachable      = "unreachable"
)

// The faults that it can do to the wire between a worker and its servers.
const (
	FaultDelayMessage   = "delay-message"
	FaultHoldMessage    = "hold-message"
	FaultDropMessage    = "drop-message"
	FaultCutMessage     = "cut-message"
	FaultSilenceMessage = "silence-message"
	FaultCutOff         = "cut-off"
	FaultLift           = "lift"
)

// The faults that it can do to servers.
const (
	FaultKillServer      = "kill-server"
	FaultPauseServer     = "pause-server"
	FaultIsolateServer   = "isolate-server"
	FaultDeafenServer    = "deafen-server"
	FaultMuteServer      = "mute-server"
	FaultCutClients      = "cut-clients"
	FaultFillDisk        = "fill-disk"
	FaultHealServer      = "heal-server"
	FaultMoveCoordinator = "move-coordinator"
	FaultMoveLeader      = "move-leader"
	FaultElectUnclean    = "elect-unclean"
)

// What a simulated network that loses messages does by itself, told like a fault.
const (
	LostRequest = "lost-request"
	LostAnswer  = "lost-answer"
)

// The phases of a fault.
const (
	PhaseBegin = "begin"
	PhaseDone  = "done"
)

// FaultDone is something done by the nemesis.
type FaultDone struct {
	// Fault is one of the names above.
	Fault string `json:"fault"`
	// Target is the name of a worker, or of a task of it, or what the fault takes instead; Life the worker's process at that
	// moment.
	Target string `json:"target"`
	Life   string `json:"life,omitempty"`
	// Server is the server that it is done to, where it is done to one: the target may have named it by what it does.
	Server string `json:"server,omitempty"`
	// With is the rule that it arms on the wire, in words.
	With string `json:"with,omitempty"`
	// Phase is PhaseBegin when the fault is ordered and PhaseDone when its effect was proved.
	Phase string `json:"phase"`
	// Proof is the raw answer, or the fact, that shows the effect.
	Proof string `json:"proof,omitempty"`
}
