package io.outrigger.oracle;

import io.grpc.xds.client.BootstrapperImpl;
import io.outrigger.oracle.Story.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Tells a story to both clients and compares what callers see after each step.
 *
 * <p>Where gRPC's client is known to do otherwise, the difference is allowed exactly there:
 *
 * <ul>
 *   <li>The first step of its back-off counts from the end of a stream, ours from the start
 *       (A57-05, A57-07): its next stream may come up to a second later.
 *   <li>Who begins to watch while the control plane cannot be reached waits for the next attempt to
 *       fail; with us it fails at once (A57-09).
 *   <li>It tells nobody when the version in use is sent again or the control plane can be reached
 *       again, so a note outlives its reason; ours ends then (A88-26, A88-27).
 * </ul>
 *
 * <p>Stories hold no resource errors (xRFC TP3), which gRPC's client does not read, and one control
 * plane, since its fall-back shares state that ours does not (decision xds-0001).
 */
final class StoryRun {
  private static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);

  private static final Logger GRPC_LOG = Logger.getLogger("io.grpc.xds"); // held: levels are weak

  private final OurStoryClient ours;
  private final GrpcStoryClient grpc;
  private final List<String> log = new ArrayList<>();
  private final Set<String> watchedDuringOutage = new HashSet<>();

  private StoryRun(Story story, boolean ourFailMode) {
    ours = new OurStoryClient(ourFailMode, story.transientTimer());
    grpc = new GrpcStoryClient(story.failOnDataErrors(), story.transientTimer());
    log.add(
        "fail_on_data_errors %s, resource_timer_is_transient_error %s"
            .formatted(story.failOnDataErrors(), story.transientTimer()));
  }

  /** The steps up to the first difference, and what was seen on both sides; empty if none. */
  static Optional<String> difference(Story story) {
    return new StoryRun(story, story.failOnDataErrors()).run(story);
  }

  /** The same where our client is told the opposite about data errors: it must be found out. */
  static Optional<String> differenceOfOppositeModes(Story story) {
    return new StoryRun(story, !story.failOnDataErrors()).run(story);
  }

  /** How often anybody saw a resource in use: a story without any proves little. */
  static long uses(Story story) {
    var run = new StoryRun(story, story.failOnDataErrors());
    long uses = 0;
    for (Step step : story.steps()) {
      run.apply(step);
      uses += run.ours.seen().values().stream().filter(seen -> seen.startsWith("uses")).count();
    }
    return uses;
  }

  /** Of a seed: empty if both agree, else the shortest story on which they do not. */
  static Optional<String> check(long seed, int length) {
    Story story = Story.random(seed, length);
    if (difference(story).isEmpty()) {
      return Optional.empty();
    }
    Story shortest = story.minimal(shorter -> difference(shorter).isPresent());
    return Optional.of("seed " + seed + ": " + difference(shortest).orElseThrow());
  }

  private Optional<String> run(Story story) {
    GRPC_LOG.setLevel(Level.OFF);
    boolean before = BootstrapperImpl.xdsDataErrorHandlingEnabled;
    BootstrapperImpl.xdsDataErrorHandlingEnabled = true; // A88, which it has off by default
    try {
      return compare(story);
    } finally {
      BootstrapperImpl.xdsDataErrorHandlingEnabled = before;
    }
  }

  private Optional<String> compare(Story story) {
    for (Step step : story.steps()) {
      boolean outage = ours.isOutage();
      apply(step);
      if (step instanceof Step.Watch watch && outage) {
        watchedDuringOutage.add(watch.type() + " " + watch.name());
      }
      if (ours.hasStream() && !grpc.hasStream()) {
        apply(new Step.Pass(FIRST_BACKOFF));
      }
      if (!agree()) {
        return Optional.of(String.join("\n", log));
      }
    }
    return Optional.empty();
  }

  private void apply(Step step) {
    ours.apply(step);
    grpc.apply(step);
    log.add("  " + step + "\n      -> " + ours.seen());
  }

  private boolean agree() {
    if (ours.hasStream() != grpc.hasStream()) {
      log.add("      a stream is open: " + ours.hasStream() + ", gRPC " + grpc.hasStream());
      return false;
    }
    Map<String, String> there = grpc.seen();
    for (Map.Entry<String, String> here : ours.seen().entrySet()) {
      String key = here.getKey();
      String other = there.getOrDefault(key, "is not watched");
      if (here.getValue().equals(other)) {
        watchedDuringOutage.remove(key);
      } else if (!other.equals(here.getValue() + Watched.NOTED)
          && !(watchedDuringOutage.contains(key)
              && here.getValue().equals("fails")
              && other.equals("waits"))) {
        log.add("      gRPC -> " + there);
        return false;
      }
    }
    return true;
  }
}
