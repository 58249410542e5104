package io.outrigger.xds.status;

import io.outrigger.base.AnyThread;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.overlay.Overlaid;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.xds.overlay.Overlay;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the overlay has come to.
 *
 * @param rules in force, in their order
 * @param problems of its files
 */
@AnyThread
public record OverlayStatus(List<Rule> rules, List<FileProblem> problems) {
  /** Without local policy. */
  public static final OverlayStatus NONE = new OverlayStatus(List.of(), List.of());

  public OverlayStatus {
    rules = List.copyOf(rules);
    problems = List.copyOf(problems);
  }

  /**
   * One rule.
   *
   * @param clusters how many it matches
   * @param routes how many it matches
   * @param set the first {@value #MOST} fields that it has set
   * @param moreSet how many further ones there are
   * @param leftOut the first {@value #MOST} resources that go on without it
   * @param moreLeftOut how many further ones there are
   */
  public record Rule(
      OverlayRule rule,
      int clusters,
      int routes,
      List<Value> set,
      int moreSet,
      List<Omission> leftOut,
      int moreLeftOut) {
    /** Of a rule for ten thousand clusters nobody reads all. */
    public static final int MOST = 1000;

    public Rule {
      set = List.copyOf(set);
      leftOut = List.copyOf(leftOut);
    }

    /** Whether there is nothing that it is for. */
    public boolean matchesNothing() {
      return clusters == 0 && routes == 0;
    }
  }

  /** A field of a resource. */
  public record Value(String resource, String field, String value) {}

  /** A resource that goes on without the rule. */
  public record Omission(String resource, String field, String reason) {}

  /** While a view is made. */
  private static final class Tally {
    final Set<String> clusters = new LinkedHashSet<>();
    final Set<String> routes = new LinkedHashSet<>();
    final Set<Value> set = new LinkedHashSet<>();
    final Set<Omission> leftOut = new LinkedHashSet<>();
    int moreSet;
    int moreLeftOut;

    void add(Value value) {
      if (set.size() < Rule.MOST) {
        set.add(value);
      } else {
        moreSet++;
      }
    }

    void add(Omission omission) {
      if (leftOut.size() < Rule.MOST) {
        leftOut.add(omission);
      } else {
        moreLeftOut++;
      }
    }
  }

  /**
   * Counts.
   *
   * @param resources in use; one that is in use twice counts once
   */
  public static List<Rule> rules(Overlay overlay, Stream<Overlaid> resources) {
    Map<OverlayRule, Tally> tallies = new LinkedHashMap<>();
    overlay.rules().forEach(rule -> tallies.put(rule, new Tally()));
    resources.forEach(
        resource -> {
          boolean isCluster = resource instanceof ClusterResource;
          resource.visitEffects((name, effect) -> add(name, effect, isCluster, tallies));
        });
    List<Rule> rules = new ArrayList<>();
    tallies.forEach(
        (rule, tally) ->
            rules.add(
                new Rule(
                    rule,
                    tally.clusters.size(),
                    tally.routes.size(),
                    List.copyOf(tally.set),
                    tally.moreSet,
                    List.copyOf(tally.leftOut),
                    tally.moreLeftOut)));
    return rules;
  }

  /** Rules that are in force no more are passed over: what they changed is about to be changed. */
  private static void add(
      String name, OverlayEffect effect, boolean isCluster, Map<OverlayRule, Tally> tallies) {
    for (OverlayRule rule : effect.matched()) {
      Tally tally = tallies.get(rule);
      if (tally != null) {
        (isCluster ? tally.clusters : tally.routes).add(name);
      }
    }
    for (OverlayEffect.Value value : effect.set()) {
      Tally tally = tallies.get(value.rule());
      if (tally != null) {
        tally.add(new Value(name, value.field(), value.value()));
      }
    }
    for (OverlayEffect.Omission omission : effect.leftOut()) {
      Tally tally = tallies.get(omission.rule());
      if (tally != null) {
        tally.add(new Omission(name, omission.field(), omission.reason()));
      }
    }
  }
}
