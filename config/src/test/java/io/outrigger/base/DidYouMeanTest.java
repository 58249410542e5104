package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DidYouMeanTest {
  private static final List<String> KNOWN =
      List.of("--forward", "--admin", "--admin-grpc", "xds_servers", "run", "wait");

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "--forwrad, ; did you mean --forward?",
    "--forwards, ; did you mean --forward?",
    "--FORWARD, ; did you mean --forward?",
    "xdsServers, ; did you mean xds_servers?",
    "--admin_grpc, ; did you mean --admin-grpc?",
    "rum, ; did you mean run?",
    "wiat, ; did you mean wait?",
    "--nonsense, ''",
    "x, ''",
    "'', ''",
  })
  void theNearestNameIsProposed(String text, String question) {
    assertThat(DidYouMean.question(text, KNOWN)).isEqualTo(question);
  }
}
