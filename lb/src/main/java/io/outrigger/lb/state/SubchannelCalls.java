package io.outrigger.lb.state;

/**
 * The calls of a subchannel since it was created, as last read on the control loop; the numbers are
 * exact once the calls have ended.
 *
 * @param active calls that were picked and have not ended
 * @param succeeded calls that ended as {@code CallOutcome.SUCCESS}
 * @param failed calls that ended as {@code CallOutcome.FAILURE}
 */
public record SubchannelCalls(long active, long succeeded, long failed) {
  public static final SubchannelCalls NONE = new SubchannelCalls(0, 0, 0);

  /**
   * The number of calls that were sent or are about to be sent. A call is subtracted again if it
   * was never sent.
   */
  public long issued() {
    return active + succeeded + failed;
  }

  public SubchannelCalls plus(SubchannelCalls other) {
    return new SubchannelCalls(
        active + other.active, succeeded + other.succeeded, failed + other.failed);
  }
}
