package io.outrigger.lb.state;

/**
 * Calls of a subchannel since it was made, as the control loop last saw them; exact once its calls
 * have ended.
 *
 * @param active picked and not ended
 * @param succeeded ended as {@code CallOutcome.SUCCESS}
 * @param failed ended as {@code CallOutcome.FAILURE}
 */
public record SubchannelCalls(long active, long succeeded, long failed) {
  public static final SubchannelCalls NONE = new SubchannelCalls(0, 0, 0);

  /**
   * Calls that were sent or are about to be. A call that turns out not to be sent does not count.
   */
  public long issued() {
    return active + succeeded + failed;
  }

  @SuppressWarnings("ReferenceEquality") // an equal one may be added as well
  public SubchannelCalls plus(SubchannelCalls other) {
    if (this == NONE) {
      return other;
    }
    return new SubchannelCalls(
        active + other.active, succeeded + other.succeeded, failed + other.failed);
  }
}
