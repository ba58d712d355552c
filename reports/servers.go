package reports

import "github.com/single-writer/chaos/history"

// struck says what was done to a server, as a story tells it.
func struck(v *history.FaultDone) string {
	s := v.Server
	if v.Target != v.Server && v.Fault != history.FaultHealServer {
		s += " (" + v.Target + ")"
	}
	switch v.Fault {
	case history.FaultKillServer:
		return s + " is killed"
	case history.FaultPauseServer:
		return s + " is paused"
	case history.FaultIsolateServer:
		return s + " is cut off from its peers"
	case history.FaultDeafenServer:
		return s + " does not hear its peers any more"
	case history.FaultMuteServer:
		return s + " is not heard by its peers any more"
	case history.FaultCutClients:
		return s + " is cut off from all clients"
	case history.FaultFillDisk:
		return s + " has no room on its disk any more"
	case history.FaultHealServer:
		return s + " is well again"
	case history.FaultMoveCoordinator:
		return s + " is made the coordinator"
	case history.FaultMoveLeader:
		return s + " is made the leader"
	case history.FaultElectUnclean:
		return s + " leads without the newest records: " + v.Proof
	}
	return s + ": " + v.Fault
}

// faultOf names what was done, and to what: of a word that stands for a server, that server too.
func faultOf(v *history.FaultDone) string {
	s := v.Fault + " " + v.Target
	if v.Server != "" && v.Server != v.Target {
		s += ": " + v.Server
	}
	return s
}

// onWire says what was done to a message of a worker, or to its way, as a story tells it; empty of any other fault.
func onWire(v *history.FaultDone) string {
	switch v.Fault {
	case history.FaultDelayMessage, history.FaultHoldMessage, history.FaultDropMessage, history.FaultCutMessage, history.FaultSilenceMessage,
		history.FaultCutOff:
		return v.With + ": " + v.Proof
	case history.FaultLift:
		return v.Proof
	}
	return ""
}
