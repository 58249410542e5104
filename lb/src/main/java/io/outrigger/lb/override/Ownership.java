package io.outrigger.lb.override;

/**
 * The owner of the connection to an address (A75): none, the policy that balances the address, or
 * sessions only. This enum computes the next owner and the action; the {@link AddressEntry} stores
 * the owner and performs the action.
 *
 * <pre>
 * NOBODY   -> BALANCER  on TAKEN     lease
 * NOBODY   -> SESSIONS  on ASKED     lease, connect
 * BALANCER -> BALANCER  on ASKED     connect
 * BALANCER -> SESSIONS  on RETURNED  nothing, if a session used it within the idle timeout
 * BALANCER -> NOBODY    on RETURNED  release, if no session used it
 * SESSIONS -> BALANCER  on TAKEN     nothing
 * SESSIONS -> SESSIONS  on ASKED     connect
 * SESSIONS -> NOBODY    on UNUSED    release
 * any      -> NOBODY    on GONE      release, if there is a lease
 * </pre>
 *
 * <p>An entry holds a lease in every state but NOBODY, so a policy cannot close the connection.
 */
enum Ownership {
  NOBODY,
  BALANCER,
  SESSIONS;

  enum Event {
    /** A policy below uses the address, which no policy used before. */
    TAKEN,
    /** The last policy below that used the address has closed its subchannel. */
    RETURNED,
    /** A session's call waits for a connection. */
    ASKED,
    /** No session used the address for the idle timeout, or sessions may no longer use it. */
    UNUSED,
    GONE
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
   * Looks up the transition for {@code event}.
   *
   * @param wanted whether sessions may reach the address, and a session has used it within the idle
   *     timeout
   * @throws IllegalStateException if {@code event} cannot happen in this state
   */
  Step on(Event event, boolean wanted) {
    if (event == Event.GONE) {
      return new Step(NOBODY, this == NOBODY ? Action.NOTHING : Action.RELEASE);
    }
    return switch (this) {
      case NOBODY ->
          switch (event) {
            case TAKEN -> new Step(BALANCER, Action.LEASE);
            case ASKED -> new Step(SESSIONS, Action.LEASE_AND_CONNECT);
            default -> throw impossible(event);
          };
      case BALANCER ->
          switch (event) {
            case ASKED -> new Step(BALANCER, Action.CONNECT);
            case RETURNED ->
                wanted ? new Step(SESSIONS, Action.NOTHING) : new Step(NOBODY, Action.RELEASE);
            default -> throw impossible(event);
          };
      case SESSIONS ->
          switch (event) {
            case TAKEN -> new Step(BALANCER, Action.NOTHING);
            case ASKED -> new Step(SESSIONS, Action.CONNECT);
            case UNUSED -> new Step(NOBODY, Action.RELEASE);
            default -> throw impossible(event);
          };
    };
  }

  private IllegalStateException impossible(Event event) {
    return new IllegalStateException(event + " while owned by " + this);
  }
}
