package io.outrigger.dataplane.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.testing.Conformance;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionValueTest {
  private static final EndpointAddress ONE = new EndpointAddress("10.0.0.1", 80);

  @Conformance({"A55-04", "A55-05", "A55-09"})
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "10.0.0.1:80;pay                   | 10.0.0.1:80            | pay",
        "10.0.0.1:80                       | 10.0.0.1:80            |",
        "10.0.0.1:80;                      | 10.0.0.1:80            |",
        "10.0.0.1:80,[::1]:443;a;b:c       | 10.0.0.1:80,[::1]:443  | a;b:c",
        "nonsense,10.0.0.1:80,,x:1:2;pay   | 10.0.0.1:80            | pay",
        "10.0.0.1:80;zähler                | 10.0.0.1:80            | zähler",
      })
  void valueHoldsAddressesAndACluster(String text, String addresses, String cluster) {
    SessionFilter.Value value = SessionFilter.Value.decode(base64(text)).orElseThrow();

    assertThat(
            value.addresses().stream()
                .map(EndpointAddress::toString)
                .collect(Collectors.joining(",")))
        .isEqualTo(addresses);
    assertThat(value.cluster()).isEqualTo(cluster == null ? "" : cluster);
  }

  @Conformance("A55-03")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "=",
        "==",
        "a",
        "%%%%",
        "MTAu MC4w",
        "MTAuMC4wLjE6ODA;",
        "aGFsbG8=", // hallo
        "MTAuMC4wLjE6ODA7cGF5===",
        "OwE", // ;
      })
  void whatCannotBeReadIsNoValue(String text) {
    assertThat(SessionFilter.Value.decode(text)).isEmpty();
  }

  @Conformance("A55-03")
  @ParameterizedTest
  @ValueSource(
      strings = {
        ";pay", "10.0.0.1;pay", "10.0.0.1:;pay", "10.0.0.1:0;pay", "10.0.0.1:65536;pay",
        "10.0.0.1:080;pay", ":80;pay", "::1:80;pay", "[::1:80;pay", "[10.0.0.1]:80;pay",
        "[]:80;pay", "host:80;pay", "10.0.0.1:8 0;pay", "10.0.0.1:-1;pay", "\n\u000e10.0.0.1:80",
      })
  void aValueWithoutAnAddressIsNone(String text) {
    assertThat(SessionFilter.Value.decode(base64(text))).isEmpty();
  }

  @Test
  void paddingMayBeLeftOut() {
    String padded = base64("10.0.0.1:80;p");
    assertThat(padded).endsWith("=");

    assertThat(SessionFilter.Value.decode(padded.replace("=", "")))
        .isEqualTo(SessionFilter.Value.decode(padded));
  }

  @Test
  void aThousandAddressesAreCutOff() {
    String list =
        IntStream.range(0, 1_000)
            .mapToObj(i -> "10.0.0.1:" + (1 + i))
            .collect(Collectors.joining(","));

    assertThat(SessionFilter.Value.decode(base64(list + ";pay")))
        .hasValueSatisfying(
            value -> {
              assertThat(value.addresses()).hasSize(SessionFilter.Value.MAX_ADDRESSES);
              assertThat(value.cluster()).isEqualTo("pay");
            });
  }

  @Test
  void encodingIsReadBack() {
    var value =
        new SessionFilter.Value(List.of(ONE, new EndpointAddress("::1", 443)), "cluster:pay");

    assertThat(decoded(value.encode())).isEqualTo("10.0.0.1:80,[::1]:443;cluster:pay");
    assertThat(SessionFilter.Value.decode(value.encode())).isEqualTo(Optional.of(value));
  }

  @Property(tries = 1_000, seed = "55")
  void noTextIsTooStrange(@ForAll @StringLength(max = 200) String text) {
    assertThatCode(() -> SessionFilter.Value.decode(text)).doesNotThrowAnyException();
    assertThatCode(() -> SessionFilter.Value.decode(base64(text))).doesNotThrowAnyException();
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String decoded(String text) {
    return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
  }
}
