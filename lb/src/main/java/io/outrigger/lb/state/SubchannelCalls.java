package io.outrigger.lb.state;

/**
 * The numbers of calls of a subchannel since its creation. Calls that ended before the counters
 * were read are counted exactly.
 *
 * @param active calls that were picked and have not ended
 * @param succeeded calls that ended as {@code CallOutcome.SUCCESS}
 * @param failed calls that ended as {@code CallOutcome.FAILURE}
 */
public record SubchannelCalls(long active, long succeeded, long failed) {
  public static final SubchannelCalls NONE = new SubchannelCalls(0, 0, 0);

  /**
   * The number of calls for which the subchannel was picked, excluding calls that were never sent.
   */
  public long issued() {
    return active + succeeded + failed;
  }

  public SubchannelCalls plus(SubchannelCalls other) {
    return new SubchannelCalls(
        active + other.active, succeeded + other.succeeded, failed + other.failed);
  }
}
