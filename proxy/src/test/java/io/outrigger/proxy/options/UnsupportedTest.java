package io.outrigger.proxy.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnsupportedTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "GRPC_XDS_BOOTSTRAP_CONFIG",
          "{\"xds_servers\":[{\"server_uri\":\"cp:443\",\"channel_creds\":[{\"type\":\"insecure\"}]}]}",
          "OUTRIGGER_FORWARD",
          "0=xds:///orders");

  @ParameterizedTest
  @CsvSource({"OTLP, http://collector:4317"})
  void flagsThatCannotBeHonouredAreRefused(Flag flag, String value) throws InvalidInput {
    ProxyOptions options = read(Map.of(flag, List.of(value)));

    var refused = catchThrowableOfType(InvalidInput.class, () -> Unsupported.refuse(options));

    assertThat(refused.lines())
        .containsExactly(flag.option() + ": this version does not support it; leave it out");
  }

  @Test
  void theDefaultsAreHonoured() throws InvalidInput {
    ProxyOptions options = read(Map.of());

    assertThatCode(() -> Unsupported.refuse(options)).doesNotThrowAnyException();
  }

  private static ProxyOptions read(Map<Flag, List<String>> given) throws InvalidInput {
    return OptionsReader.read(given, ENVIRONMENT, new Machine(2, 1L << 30));
  }
}
