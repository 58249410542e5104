package io.outrigger.lb.override;

/**
 * The owner of the connection to an address (A75): none, the policy that balances the address, or
 * sessions only. For each event, {@code Ownership} computes the next owner and an {@link Action},
 * which may change the lease or request a connection. The {@link AddressEntry} stores the owner and
 * performs the {@code Action}.
 *
 * <pre>
 * NONE     -> BALANCER on ACQUIRED  lease
 * NONE     -> SESSIONS on REQUESTED lease, connect
 * BALANCER -> BALANCER on REQUESTED connect
 * BALANCER -> SESSIONS on RELEASED  nothing, if a session used it within the idle timeout
 * BALANCER -> NONE     on RELEASED  release, if no session used it
 * SESSIONS -> BALANCER on ACQUIRED  nothing
 * SESSIONS -> SESSIONS on REQUESTED connect
 * SESSIONS -> NONE     on UNUSED    release
 * any      -> NONE     on REMOVED   release, if there is a lease
 * </pre>
 *
 * <p>With every owner except NONE, the {@link AddressEntry} holds a lease of the subchannel, so
 * that the connection stays open when the balancing policies close their leases.
 */
enum Ownership {
  NONE,
  BALANCER,
  SESSIONS;

  enum Event {
    /** A balancing policy begins to use the address, which no policy used until then. */
    ACQUIRED,
    /** The last balancing policy with a subchannel for the address has closed the subchannel. */
    RELEASED,
    /** A session's call waits for a connection. */
    REQUESTED,
    /** No session used the address within the idle timeout, or sessions may no longer use it. */
    UNUSED,
    REMOVED
  }

  enum Action {
    NOTHING,
    LEASE,
    LEASE_AND_CONNECT,
    CONNECT,
    RELEASE
  }

  record Step(Ownership next, Action action) {}

  /**
   * Looks up the next owner and the action for an event.
   *
   * @param wanted whether sessions may reach the address, and a session has used it within the idle
   *     timeout
   * @throws IllegalStateException if the event cannot happen with the current owner
   */
  Step on(Event event, boolean wanted) {
    if (event == Event.REMOVED) {
      return new Step(NONE, this == NONE ? Action.NOTHING : Action.RELEASE);
    }
    return switch (this) {
      case NONE ->
          switch (event) {
            case ACQUIRED -> new Step(BALANCER, Action.LEASE);
            case REQUESTED -> new Step(SESSIONS, Action.LEASE_AND_CONNECT);
            default -> throw impossible(event);
          };
      case BALANCER ->
          switch (event) {
            case REQUESTED -> new Step(BALANCER, Action.CONNECT);
            case RELEASED ->
                wanted ? new Step(SESSIONS, Action.NOTHING) : new Step(NONE, Action.RELEASE);
            default -> throw impossible(event);
          };
      case SESSIONS ->
          switch (event) {
            case ACQUIRED -> new Step(BALANCER, Action.NOTHING);
            case REQUESTED -> new Step(SESSIONS, Action.CONNECT);
            case UNUSED -> new Step(NONE, Action.RELEASE);
            default -> throw impossible(event);
          };
    };
  }

  private IllegalStateException impossible(Event event) {
    return new IllegalStateException(event + " while owned by " + this);
  }
}
