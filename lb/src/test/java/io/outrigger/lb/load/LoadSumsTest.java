package io.outrigger.lb.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.load.LocalityLoad;
import io.outrigger.config.load.MetricTotal;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.testing.Samples;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoadSumsTest {
  private static final Locality HERE = Samples.locality("here");
  private static final SubchannelCalls IN_PROGRESS = new SubchannelCalls(1, 0, 0);

  private final LoadSums sums = new LoadSums();

  @Conformance("A64-03")
  @Test
  void aLocalityOfWhichThereIsNothingToSayIsLeftOut() {
    sums.add(HERE, SubchannelCalls.NONE, SubchannelCalls.NONE);
    sums.add(HERE, Map.of());

    assertThat(take()).isEmpty();
  }

  /** Its endpoint moved before the call ended, which is counted where it stands then. */
  @Conformance("A64-02")
  @Test
  void aCallMayBeIssuedInOneLocalityAndEndInAnother() {
    Locality there = Samples.locality("there");
    sums.add(HERE, SubchannelCalls.NONE, IN_PROGRESS);
    sums.resetInProgress();
    sums.add(there, IN_PROGRESS, new SubchannelCalls(0, 1, 0));

    assertThat(take()).containsExactly(load(HERE, 1, 0, 0), load(there, 0, 1, 0));
  }

  @Conformance("A64-02")
  @Test
  void aCallThatWasReportedAndNeverSentIsMadeUpForByTheNext() {
    sums.add(HERE, SubchannelCalls.NONE, IN_PROGRESS);
    assertThat(take()).containsExactly(load(HERE, 1, 0, 1));
    sums.resetInProgress();
    sums.add(HERE, IN_PROGRESS, SubchannelCalls.NONE);
    assertThat(take()).isEmpty();

    sums.add(HERE, SubchannelCalls.NONE, new SubchannelCalls(0, 3, 0));
    assertThat(take()).containsExactly(load(HERE, 2, 3, 0));
    assertThat(take()).isEmpty();
  }

  @Conformance("A64-02")
  @Test
  void metricsAreReportedOnceThoughACallHasStillToBeMadeUpFor() {
    Map<String, MetricTotal> metrics = Map.of("cpu_utilization", new MetricTotal(1, 0.5));
    sums.add(HERE, IN_PROGRESS, SubchannelCalls.NONE);
    sums.add(HERE, metrics);

    assertThat(take()).containsExactly(new LocalityLoad(HERE, 0, 0, 0, 0, metrics));
    assertThat(take()).isEmpty();
  }

  private List<LocalityLoad> take() {
    return sums.take("pay", "pay-eds", Duration.ofSeconds(1)).localities();
  }

  private static LocalityLoad load(
      Locality locality, long issued, long succeeded, long inProgress) {
    return new LocalityLoad(locality, issued, succeeded, 0, inProgress, Map.of());
  }
}
