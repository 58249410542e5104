package io.outrigger.dataplane.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.Seeds;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests arbitrary texts as {@code grpc-timeout} against the grammar of the protocol. */
final class GrpcTimeoutFuzzTest {
  private static final Pattern GRAMMAR = Pattern.compile("([0-9]{1,8})([HMSmun])");
  private static final String ALPHABET = "0123456789012345678HMSmunhsd +-.,\u0000\u00e9";

  private static final Map<String, BigInteger> UNITS =
      Map.of(
          "n", BigInteger.ONE,
          "u", BigInteger.valueOf(1_000L),
          "m", BigInteger.valueOf(1_000_000L),
          "S", BigInteger.valueOf(1_000_000_000L),
          "M", BigInteger.valueOf(60_000_000_000L),
          "H", BigInteger.valueOf(3_600_000_000_000L));

  @Conformance({"SC-04", "SC-05"})
  @Test
  void anyTextIsReadAsTheGrammarSays() {
    Seeds.each(
        20_000,
        seed -> {
          String text = text(new Random(seed));

          assertThat(GrpcTimeout.parse(text))
              .as("seed %d: \"%s\"", seed, text)
              .isEqualTo(nanos(text));
        });
  }

  static Stream<byte[]> seeds() {
    return Stream.of("", "1S", "99999999H", "100000000n", "-1m", "1", "S")
        .map(text -> text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @MethodSource("seeds")
  @FuzzTest
  void anyText(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);

    assertThat(GrpcTimeout.parse(text)).isEqualTo(nanos(text));
  }

  private static String text(Random random) {
    var text = new StringBuilder();
    int digits = random.nextInt(11);
    for (int i = 0; i < digits; i++) {
      text.append((char) ('0' + random.nextInt(10)));
    }
    text.append("HMSmun".charAt(random.nextInt(6)));
    if (random.nextInt(3) == 0) {
      int at = random.nextInt(text.length() + 1);
      text.insert(at, ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return text.toString();
  }

  private static long nanos(String text) {
    Matcher matcher = GRAMMAR.matcher(text);
    if (!matcher.matches()) {
      return GrpcTimeout.MALFORMED;
    }
    BigInteger nanos = new BigInteger(matcher.group(1)).multiply(UNITS.get(matcher.group(2)));
    return nanos.min(BigInteger.valueOf(EffectiveTimeout.NONE - 1)).longValueExact();
  }
}
