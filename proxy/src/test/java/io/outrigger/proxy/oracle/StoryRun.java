package io.outrigger.proxy.oracle;

import io.grpc.xds.client.BootstrapperImpl;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tells a story to both clients and compares what callers see after each step. */
final class StoryRun {
  static {
    BootstrapperImpl.xdsDataErrorHandlingEnabled = true; // A88, which it has off by default
  }

  private StoryRun() {}

  /** The steps up to the first difference, and what was seen on both sides; empty if none. */
  static Optional<String> difference(Story story) {
    var ours = new OurStoryClient(story);
    var grpc = new GrpcStoryClient(story);
    List<String> log = new ArrayList<>();
    for (Story.Step step : story.steps()) {
      ours.apply(step);
      grpc.apply(step);
      Map<String, String> here = ours.seen();
      Map<String, String> there = grpc.seen();
      log.add("  " + step + "\n      -> " + here);
      if (!here.equals(there) || ours.hasStream() != grpc.hasStream()) {
        log.add("      gRPC -> " + there);
        if (ours.hasStream() != grpc.hasStream()) {
          log.add("      stream open: here " + ours.hasStream() + ", gRPC " + grpc.hasStream());
        }
        return Optional.of(
            "fail_on_data_errors %s, resource_timer_is_transient_error %s%n%s"
                .formatted(
                    story.failOnDataErrors(), story.transientTimer(), String.join("\n", log)));
      }
    }
    return Optional.empty();
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
}
