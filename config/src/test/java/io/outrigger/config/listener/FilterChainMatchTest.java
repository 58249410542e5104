package io.outrigger.config.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.CidrRange;
import io.outrigger.base.IpAddress;
import io.outrigger.config.listener.FilterChainMatch.SourceType;
import io.outrigger.config.listener.FilterChainMatch.Unmatched;
import io.outrigger.testing.Conformance;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Chains are written as words: {@code d:} and {@code s:} are ranges of the destination and of the
 * source, {@code p:} a source port, {@code near} and {@code far} the source types, {@code t:} the
 * transport protocol, and {@code port:}, {@code name:} and {@code alpn:} what never matches.
 */
class FilterChainMatchTest {
  @ParameterizedTest(name = "{0} | {1}: {2} -> {3} from port {4}: {5}")
  @CsvSource(
      nullValues = "-",
      value = {
        // most specific at each step
        "d:10.0.0.0/8, d:10.1.0.0/16, 10.2.0.1, 10.1.0.1, 1, 1",
        "d:10.0.0.0/8, d:10.1.0.0/16, 10.2.0.1, 10.3.0.1, 1, 0",
        "d:10.0.0.0/8, d:10.1.0.0/16, 10.2.0.1, 11.0.0.1, 1, default",
        "d:10.0.0.0/8, far, 10.2.0.1, 10.1.0.1, 1, 0",
        "'', far, 10.2.0.1, 10.1.0.1, 1, 1",
        "'', near, 10.2.0.1, 10.1.0.1, 1, 0",
        "far s:10.0.0.0/8, far s:10.2.0.0/16, 10.2.0.1, 10.1.0.1, 1, 1",
        "far, s:10.2.0.1/32, 10.2.0.1, 10.1.0.1, 1, 0",
        "s:10.0.0.0/8, p:7, 10.2.0.1, 10.1.0.1, 7, 0",
        "'', p:7, 10.2.0.1, 10.1.0.1, 7, 1",
        "'', p:7, 10.2.0.1, 10.1.0.1, 8, 0",
        "s:10.0.0.0/8, s:10.0.0.0/8 p:7 p:8, 10.2.0.1, 10.1.0.1, 8, 1",
        // once a step has chosen, later steps do not go back
        "d:10.0.0.0/8, d:10.1.0.0/16 p:7, 10.2.0.1, 10.1.0.1, 8, default",
        "near, far s:11.0.0.0/8, 10.2.0.1, 10.1.0.1, 1, default",
        // a prefix of length 0 is more specific than none, but restricts the version
        "'', d:0.0.0.0/0, 10.2.0.1, 10.1.0.1, 1, 1",
        "'', d:::/0, 10.2.0.1, 10.1.0.1, 1, 0",
        "s:0.0.0.0/0, s:::/0, 2001:db8::1, 2001:db8::2, 1, 1",
        // source types
        "near, far, 127.0.0.9, 10.1.0.1, 1, 0",
        "near, far, ::1, ::1, 1, 0",
        "near, far, 10.1.0.1, 10.1.0.1, 1, 0",
        "near, far, 10.1.0.2, 10.1.0.1, 1, 1",
        // raw_buffer is more specific than no transport protocol
        "'', t:raw_buffer, 10.2.0.1, 10.1.0.1, 1, 1",
        "t:raw_buffer, far, 10.2.0.1, 10.1.0.1, 1, 0",
        "t:tls, t:other, 10.2.0.1, 10.1.0.1, 1, default",
      })
  @Conformance({"FCM-01", "FCM-05"})
  void mostSpecificChainMatches(
      String first, String second, String peer, String local, int port, String expected)
      throws UnknownHostException {
    assertThat(name(chosen(List.of(first, second), peer, local, port))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"port:80", "name:a", "alpn:h2", "t:tls"})
  @Conformance("FCM-02")
  void chainsThatNeverMatchAreLeftOutBeforePrefixesAreCompared(String never)
      throws UnknownHostException {
    assertThat(
            name(
                chosen(
                    List.of(never + " d:10.1.0.1/32", "d:10.0.0.0/8"), "1.1.1.1", "10.1.0.1", 1)))
        .isEqualTo("1");
  }

  @Test
  @Conformance("FCM-01")
  void withoutChainAndDefaultTheConnectionHasNoChain() throws UnknownHostException {
    var listener = new SocketListener("l", "::", 80, List.of(chain("0", "near")), Optional.empty());

    assertThat(listener.chainFor(ip("10.1.0.1"), ip("10.2.0.1"), 1)).isEmpty();
    assertThat(listener.chainFor(ip("10.1.0.1"), ip("10.1.0.1"), 1)).isPresent();
  }

  @ParameterizedTest(name = "{0} and {1}: {2}")
  @CsvSource({
    "'', '', true",
    "p:1 p:2, p:2 p:3, true",
    "p:1 p:2, p:3, false",
    "p:1, '', false",
    "d:10.0.0.0/8 d:11.0.0.0/8 far, d:11.1.2.3/8 far, true",
    "d:10.0.0.0/8 far, d:10.0.0.0/8 near, false",
    "d:10.0.0.0/8 s:1.1.1.1/32, d:10.0.0.0/8 s:1.1.1.2/32, false",
    "d:0.0.0.0/0, d:::/0, false",
    "d:0.0.0.0/0, '', false",
    "name:a name:b, name:b, true",
    "name:a, name:b, false",
    "port:1, port:1, true",
    "port:1, port:2, false",
    "alpn:h2, alpn:h2 alpn:x, true",
    "t:tls, t:tls, true",
    "t:raw_buffer, '', false",
  })
  @Conformance({"FCM-03", "FCM-04"})
  void chainsThatShareACombinationAreDuplicates(String one, String other, boolean expected) {
    assertThat(match(one).duplicates(match(other))).isEqualTo(expected);
    assertThat(match(other).duplicates(match(one))).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0}:{1} for 10.1.2.3:8080: {2}")
  @CsvSource({
    "10.1.2.3, 8080, true",
    "10.1.2.3, 0, true",
    "10.1.2.3, 8081, false",
    "0.0.0.0, 8080, false",
    "pod.local, 8080, false",
  })
  @Conformance("A36-05")
  void listenerIsForItsAddress(String host, int port, boolean expected) {
    var listener = new SocketListener("l", host, port, List.of(), Optional.empty());

    assertThat(listener.isFor("10.1.2.3", 8080)).isEqualTo(expected);
  }

  private static Optional<ServerFilterChain> chosen(
      List<String> chains, String peer, String local, int port) throws UnknownHostException {
    var listener =
        new SocketListener(
            "l",
            "::",
            80,
            List.of(chain("0", chains.get(0)), chain("1", chains.get(1))),
            Optional.of(chain("default", "")));
    return listener.chainFor(ip(local), ip(peer), port);
  }

  private static String name(Optional<ServerFilterChain> chain) {
    return chain.map(ServerFilterChain::name).orElse("none");
  }

  private static IpAddress ip(String text) throws UnknownHostException {
    return IpAddress.of(InetAddress.getByName(text));
  }

  private static ServerFilterChain chain(String name, String words) {
    return new ServerFilterChain(
        name, match(words), Optional.empty(), new RouteSource.Rds("r"), List.of());
  }

  private static FilterChainMatch match(String words) {
    return new FilterChainMatch(
        ranges(words, "d:"),
        values(words, "t:").stream().findFirst().orElse(""),
        Arrays.asList(words.split(" ")).contains("near")
            ? SourceType.SAME_IP_OR_LOOPBACK
            : Arrays.asList(words.split(" ")).contains("far")
                ? SourceType.EXTERNAL
                : SourceType.ANY,
        ranges(words, "s:"),
        numbers(words, "p:"),
        new Unmatched(numbers(words, "port:"), values(words, "name:"), values(words, "alpn:")));
  }

  private static Set<CidrRange> ranges(String words, String prefix) {
    return values(words, prefix).stream()
        .map(text -> text.split("/"))
        .map(parts -> CidrRange.of(parts[0], Integer.parseInt(parts[1])).orElseThrow())
        .collect(Collectors.toSet());
  }

  private static Set<Integer> numbers(String words, String prefix) {
    return values(words, prefix).stream().map(Integer::valueOf).collect(Collectors.toSet());
  }

  private static Set<String> values(String words, String prefix) {
    return Arrays.stream(words.split(" "))
        .filter(word -> word.startsWith(prefix))
        .map(word -> word.substring(prefix.length()))
        .collect(Collectors.toSet());
  }
}
