package io.outrigger.config.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.Xxh64;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ScriptedRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HashPolicyTest {
  private static final long CHANNEL = 0xFFFF_0000_0000_0001L;

  @Conformance({"A42-01", "A42-07"})
  @Test
  void aHeaderHashesToTheReferenceFunctionOfItsBytes() {
    assertThat(hash(Map.of("k", "abc"), header("k"))).isEqualTo(0x44bc2cf5ad770999L);
  }

  @Conformance("A42-07")
  @Test
  void hashesAreCombinedByRotatingTheEarlierOne() {
    long first = Xxh64.hash("1");
    long second = Xxh64.hash("2");

    assertThat(hash(Map.of("a", "1", "b", "2"), header("a"), header("b")))
        .isEqualTo(Long.rotateLeft(first, 1) ^ second);
    assertThat(hash(Map.of("a", "1", "b", "2"), header("b"), header("a")))
        .isEqualTo(Long.rotateLeft(second, 1) ^ first);
    assertThat(hash(Map.of("a", "1"), header("a"), new HashPolicy.ChannelId(false)))
        .isEqualTo(Long.rotateLeft(first, 1) ^ CHANNEL);
  }

  @Conformance("A42-07")
  @Test
  void whatGivesNothingIsLeftOut() {
    assertThat(hash(Map.of("b", "2"), header("a"), header("b"))).isEqualTo(Xxh64.hash("2"));
    assertThat(hash(Map.of(), header("a"))).isNull();
    assertThat(hash(Map.of())).isNull();
  }

  @Conformance("A42-07")
  @Test
  void aTerminalPolicyEndsTheListOnceThereIsAHash() {
    var terminal = new HashPolicy.Header("a", Optional.empty(), true);

    assertThat(hash(Map.of("a", "1", "b", "2"), terminal, header("b"))).isEqualTo(Xxh64.hash("1"));
    assertThat(hash(Map.of("b", "2"), terminal, header("b"))).isEqualTo(Xxh64.hash("2"));
    assertThat(hash(Map.of("b", "2", "c", "3"), header("b"), terminal, header("c")))
        .as("there is a hash already when the terminal one gives none")
        .isEqualTo(Xxh64.hash("2"));
  }

  @Test
  void aRewriteThatOverflowsTheStackKeepsTheValue() {
    var tooLarge =
        new HashPolicy.Rewrite(Pattern.compile("x" + "(((a?)))".repeat(2000)), "replaced");

    assertThat(hash(Map.of("a", "xb"), new HashPolicy.Header("a", Optional.of(tooLarge), false)))
        .isEqualTo(Xxh64.hash("xb"));
  }

  @Conformance("A42-07")
  @Test
  void withoutAHashEachRequestHasARandomOne() {
    var random = new ScriptedRandom(1).next(Purpose.HASH, 5, 6);
    Route route = route(header("a"));

    assertThat(route.hash(request(Map.of()), CHANNEL, random)).isEqualTo(Xxh64.hash(5));
    assertThat(route.hash(request(Map.of()), CHANNEL, random)).isEqualTo(Xxh64.hash(6));
    assertThat(route.hash(request(Map.of("a", "1")), CHANNEL, random)).isEqualTo(Xxh64.hash("1"));
  }

  private static HashPolicy header(String name) {
    return new HashPolicy.Header(name, Optional.empty(), false);
  }

  private static Route route(HashPolicy... policies) {
    return new Route(
        "r",
        0,
        new RouteMatch(new StringMatcher.Prefix("", false), List.of(), Optional.empty()),
        new RouteAction.Forward(
            new ClusterChoice.Single("c"),
            RouteTimeout.UNSET,
            HostRewrite.NONE,
            List.of(policies),
            Optional.empty()),
        Map.of());
  }

  private static Long hash(Map<String, String> headers, HashPolicy... policies) {
    return HashPolicy.hash(List.of(policies), request(headers), CHANNEL);
  }

  private static RequestView request(Map<String, String> headers) {
    return new RequestView() {
      @Override
      public String path() {
        return "/";
      }

      @Override
      public String header(String name) {
        return headers.get(name);
      }
    };
  }
}
