package io.outrigger.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Our xDS client and gRPC's under the same sequences of what control planes and watchers do ({@code
 * scripts/differential} tells many more).
 */
class XdsClientOracleTest {
  private static final long SEED = 20_260_101;
  private static final int SEQUENCES = 1000;
  private static final int LENGTH = 40;

  @Conformance({"A88-01", "A88-02", "A88-04", "A88-05", "A88-15", "A57-17", "A57-18", "A57-19"})
  @Test
  void callersSeeTheSameWhateverHappens() {
    for (long seed = SEED; seed < SEED + SEQUENCES; seed++) {
      assertThat(StoryRun.check(seed, LENGTH)).isEmpty();
    }
  }

  /** A comparison that finds nothing must be one that can find something. */
  @Test
  void storiesReachResourcesInUseAndTellClientsOfOtherModesApart() {
    List<Story> stories =
        LongStream.range(0, 200).mapToObj(i -> Story.random(SEED + i, LENGTH)).toList();

    long told = stories.stream().filter(story -> StoryRun.uses(story) > 5).count();
    assertThat(told).isGreaterThan(100);
    long toldApart =
        stories.stream()
            .map(StoryRun::differenceOfOppositeModes)
            .filter(Optional::isPresent)
            .count();
    assertThat(toldApart).isGreaterThan(50);
  }

  @Test
  void aDifferenceIsReducedToTheStepsThatMakeIt() {
    Story story =
        LongStream.range(0, 200)
            .mapToObj(i -> Story.random(SEED + i, LENGTH))
            .filter(each -> StoryRun.differenceOfOppositeModes(each).isPresent())
            .findFirst()
            .orElseThrow();

    Story shortest = story.minimal(s -> StoryRun.differenceOfOppositeModes(s).isPresent());

    assertThat(shortest.steps()).hasSizeLessThan(6).hasSizeGreaterThan(2);
  }
}
