package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Xxh64;
import io.outrigger.config.route.HashPolicy;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.Samples;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests the request hash that load-balancing policies receive. */
class RequestHashTest {
  private final CallScript script = new CallScript();
  private final List<Long> hashes = new ArrayList<>();

  @Conformance("A42-08")
  @Test
  void severalValuesAreJoinedAndBinaryHeadersInvisible() {
    picking(header("k"));

    script.unary("k", "1", "other", "x", "k", "2");

    assertThat(hashes).containsExactly(Xxh64.hash("1,2"));

    picking(header("k-bin"), header("k"));
    script.unary("k-bin", "AAAA", "k", "3");

    assertThat(hashes).as("the binary one gives none").endsWith(Xxh64.hash("3"));
  }

  @Conformance("A42-07")
  @Test
  void aRandomHashIsTheSameForEveryPickOfACallAndAnotherForTheNext() {
    picking();
    script.unary();
    picking();
    script.unary();

    assertThat(hashes).hasSize(3);
    assertThat(hashes.get(1)).as("the first call, woken by a new picker").isEqualTo(hashes.get(0));
    assertThat(hashes.get(2)).isNotEqualTo(hashes.get(0));
  }

  @Conformance("SC-46")
  @Test
  void theChannelIsTheForward() {
    picking(new HashPolicy.ChannelId(false));
    script.unary();
    script.unary();
    script.forward = script.forward(DefaultSettings.forward(CallScript.NODE));
    script.unary();

    assertThat(hashes).hasSize(3);
    assertThat(hashes.get(1)).isEqualTo(hashes.get(0));
    assertThat(hashes.get(2)).isNotEqualTo(hashes.get(0));
  }

  private static HashPolicy header(String name) {
    return new HashPolicy.Header(name, Optional.empty(), false);
  }

  /**
   * Publishes a route with the given hash policies, and a picker that records hashes and queues all
   * calls.
   */
  private void picking(HashPolicy... policies) {
    script
        .hashed(policies)
        .publishes(
            Connectivity.CONNECTING,
            call -> {
              hashes.add(call.hash());
              return Samples.QUEUE;
            });
  }
}
