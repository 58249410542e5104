package io.outrigger.lb.override;

/**
 * The owner of the connection to an address (A75): none, the policy that balances the address, or
 * sessions only.
 *
 * <pre>
 * NONE, SESSIONS -> BALANCER on ACQUIRED
 * NONE           -> SESSIONS on REQUESTED
 * BALANCER       -> SESSIONS on RELEASED, if a session used it within the idle timeout
 * BALANCER       -> NONE     on RELEASED, if no session used it
 * SESSIONS       -> NONE     on UNUSED
 * any            -> NONE     on REMOVED
 * </pre>
 *
 * <p>Any other event does not change the owner.
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

  /**
   * Returns the next owner.
   *
   * @param wanted whether sessions may reach the address, and a session has used it within the idle
   *     timeout
   */
  Ownership on(Event event, boolean wanted) {
    return switch (event) {
      case ACQUIRED -> BALANCER;
      case REQUESTED -> this == BALANCER ? BALANCER : SESSIONS;
      case RELEASED -> this == NONE || (this == BALANCER && !wanted) ? NONE : SESSIONS;
      case UNUSED -> this == BALANCER ? BALANCER : NONE;
      case REMOVED -> NONE;
    };
  }
}
