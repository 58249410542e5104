package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.core.v3.CidrRange;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.FilterChainMatch;
import io.envoyproxy.envoy.config.listener.v3.FilterChainMatch.ConnectionSourceType;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.outrigger.base.IpAddress;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/**
 * Random listeners and connections get the chain that a plain reading of A36 "FilterChainMatch"
 * gives them: each match is written out as the product of its values, two equal products are a
 * duplicate, and each step keeps the most specific products.
 */
class FilterChainRandomTest {
  private static final int LISTENERS = 20_000;
  private static final int CONNECTIONS = 20;
  private static final String[] IPS = {
    "10.0.0.1",
    "10.0.0.2",
    "10.1.0.1",
    "127.0.0.1",
    "127.1.1.1",
    "200.0.0.1",
    "::1",
    "2001:db8::1",
    "2001:db8:0:1::1"
  };
  private static final String[] PREFIXES = {
    "10.0.0.1", "10.0.255.7", "200.0.0.1", "0.0.0.0", "::", "2001:db8::1", "::ffff:10.0.0.1"
  };
  private static final int[] LENGTHS = {-1, 0, 1, 8, 16, 31, 32, 33, 64, 96, 112, 128, 200};

  private record Connection(String local, String peer, int port) {}

  /**
   * One element of the product of a match.
   *
   * @param destination the bits of the prefix after a digit for the version; empty for no prefix
   * @param never the values of the fields that no connection matches
   */
  private record Product(
      String chain,
      String destination,
      String never,
      String transport,
      ConnectionSourceType type,
      String source,
      int port) {
    Product withoutChain() {
      return new Product("", destination, never, transport, type, source, port);
    }
  }

  @Test
  @Conformance({"FCM-01", "FCM-02", "FCM-03", "FCM-04", "FCM-05"})
  void chainsAreChosenAsByAPlainReading() throws UnknownHostException {
    int refused = 0;
    int chosen = 0;
    for (int seed = 0; seed < LISTENERS; seed++) {
      var random = new Random(seed);
      Listener proto = listener(random);
      List<Product> products = products(proto);
      Set<Product> different = new HashSet<>();
      products.forEach(product -> different.add(product.withoutChain()));

      Optional<SocketListener> listener = decode(proto);

      assertThat(listener.isPresent())
          .as("seed %s: %s", seed, proto)
          .isEqualTo(different.size() == products.size());
      refused += listener.isPresent() ? 0 : 1;
      for (int i = 0; listener.isPresent() && i < CONNECTIONS; i++) {
        var connection =
            new Connection(any(random, IPS), any(random, IPS), 1000 + random.nextInt(3));
        Optional<String> chain =
            listener
                .get()
                .chainFor(ip(connection.local()), ip(connection.peer()), connection.port())
                .map(ServerFilterChain::name);
        assertThat(chain)
            .as("seed %s: %s to %s", seed, connection, proto)
            .isEqualTo(expected(products, connection));
        chosen += chain.isPresent() ? 1 : 0;
      }
    }
    assertThat(refused).isBetween(LISTENERS / 20, LISTENERS / 2);
    assertThat(chosen).isGreaterThan(LISTENERS * CONNECTIONS / 8);
  }

  private static Optional<String> expected(List<Product> products, Connection connection)
      throws UnknownHostException {
    String local = bits(connection.local());
    String peer = bits(connection.peer());
    boolean isNear =
        local.equals(peer) || InetAddress.getByName(connection.peer()).isLoopbackAddress();
    List<Product> left = products;
    left = most(left, each -> each.never().isEmpty() ? 1 : 0);
    left = most(left, each -> prefix(each.destination(), local));
    left = most(left, each -> each.transport().isEmpty() ? 1 : 2);
    left =
        most(
            left,
            each ->
                switch (each.type()) {
                  case SAME_IP_OR_LOOPBACK -> isNear ? 2 : 0;
                  case EXTERNAL -> isNear ? 0 : 2;
                  default -> 1;
                });
    left = most(left, each -> prefix(each.source(), peer));
    left = most(left, each -> each.port() == 0 ? 1 : each.port() == connection.port() ? 2 : 0);
    assertThat(left).hasSizeLessThan(2);
    return left.stream().map(Product::chain).findFirst();
  }

  /** Keeps the products for which {@code step} is largest and not 0. */
  private static List<Product> most(List<Product> products, ToIntFunction<Product> step) {
    int best = products.stream().mapToInt(step).max().orElse(0);
    return products.stream().filter(each -> best > 0 && step.applyAsInt(each) == best).toList();
  }

  private static int prefix(String prefix, String address) {
    return prefix.isEmpty() ? 1 : address.startsWith(prefix) ? 1 + prefix.length() : 0;
  }

  private static List<Product> products(Listener listener) throws UnknownHostException {
    List<Product> all = new ArrayList<>();
    for (FilterChain chain : listener.getFilterChainsList()) {
      FilterChainMatch match = chain.getFilterChainMatch();
      for (String destination : prefixes(match.getPrefixRangesList())) {
        for (String never : never(match)) {
          for (String source : prefixes(match.getSourcePrefixRangesList())) {
            for (int port : orElse(match.getSourcePortsList(), 0)) {
              all.add(
                  new Product(
                      chain.getName(),
                      destination,
                      never,
                      match.getTransportProtocol().equals("raw_buffer") ? "raw_buffer" : "",
                      match.getSourceType(),
                      source,
                      port));
            }
          }
        }
      }
    }
    return all;
  }

  private static List<String> never(FilterChainMatch match) {
    String transport = match.getTransportProtocol().equals("tls") ? "tls;" : "";
    String port = match.hasDestinationPort() ? match.getDestinationPort().getValue() + ";" : "";
    List<String> all = new ArrayList<>();
    for (String name : orElse(match.getServerNamesList(), "")) {
      for (String protocol : orElse(match.getApplicationProtocolsList(), "")) {
        String both = name.isEmpty() && protocol.isEmpty() ? "" : name + "/" + protocol;
        all.add(transport + port + both);
      }
    }
    return all;
  }

  private static <T> List<T> orElse(List<T> values, T none) {
    return values.isEmpty() ? List.of(none) : values;
  }

  private static List<String> prefixes(List<CidrRange> ranges) throws UnknownHostException {
    List<String> prefixes = new ArrayList<>();
    for (CidrRange range : ranges) {
      String address = range.getAddressPrefix();
      boolean isMapped = address.startsWith("::ffff:");
      int length = Math.min(range.getPrefixLen().getValue(), 128);
      if (isMapped && length < 96) { // no peer has an address of this range but one of IPv6
        prefixes.add("6" + ("0".repeat(80) + "1".repeat(16)).substring(0, length));
      } else {
        String bits = bits(isMapped ? address.substring("::ffff:".length()) : address);
        prefixes.add(bits.substring(0, Math.min(bits.length(), 1 + length - (isMapped ? 96 : 0))));
      }
    }
    return orElse(prefixes, "");
  }

  /** The bits of an address after a digit for its version. */
  private static String bits(String address) throws UnknownHostException {
    byte[] bytes = InetAddress.getByName(address).getAddress();
    var bits = new StringBuilder(bytes.length == 4 ? "4" : "6");
    for (byte each : bytes) {
      bits.append(Integer.toBinaryString(0x100 | (each & 0xff)).substring(1));
    }
    return bits.toString();
  }

  private static IpAddress ip(String text) throws UnknownHostException {
    return IpAddress.of(InetAddress.getByName(text));
  }

  private static Listener listener(Random random) {
    var made = Listener.newBuilder().setName("l");
    made.getAddressBuilder().getSocketAddressBuilder().setAddress("::").setPortValue(80);
    for (int i = 1 + random.nextInt(6); i > 0; i--) {
      made.addFilterChainsBuilder()
          .setName("chain" + i)
          .setFilterChainMatch(match(random))
          .addFilters(manager());
    }
    return made.build();
  }

  private static FilterChainMatch match(Random random) {
    var made = FilterChainMatch.newBuilder();
    for (int i = random.nextInt(4); i > 1; i--) {
      made.addPrefixRanges(range(random));
    }
    for (int i = random.nextInt(4); i > 1; i--) {
      made.addSourcePrefixRanges(range(random));
    }
    for (int i = random.nextInt(5); i > 2; i--) {
      made.addSourcePorts(1000 + random.nextInt(3));
    }
    made.setSourceTypeValue(random.nextInt(3));
    made.setTransportProtocol(any(random, "", "", "raw_buffer", "tls"));
    if (random.nextInt(10) == 0) {
      made.setDestinationPort(UInt32Value.of(80));
    }
    if (random.nextInt(10) == 0) {
      made.addServerNames(any(random, "a", "b"));
    }
    if (random.nextInt(10) == 0) {
      made.addApplicationProtocols(any(random, "h2", "istio"));
    }
    return made.build();
  }

  private static CidrRange range(Random random) {
    var made = CidrRange.newBuilder().setAddressPrefix(any(random, PREFIXES));
    int length = LENGTHS[random.nextInt(LENGTHS.length)];
    if (length >= 0) {
      made.setPrefixLen(UInt32Value.of(length));
    }
    return made.build();
  }

  private static Filter manager() {
    var manager = HttpConnectionManager.newBuilder();
    manager.getRdsBuilder().setRouteConfigName("r").getConfigSourceBuilder().getAdsBuilder();
    manager
        .addHttpFiltersBuilder()
        .setName("router")
        .setTypedConfig(Any.pack(Router.getDefaultInstance()));
    return Filter.newBuilder().setName("manager").setTypedConfig(Any.pack(manager.build())).build();
  }

  private static String any(Random random, String... values) {
    return values[random.nextInt(values.length)];
  }

  private static Optional<SocketListener> decode(Listener listener) {
    var decoded =
        ResourceDecoder.decode(
            ResourceType.LISTENER,
            List.of(Any.pack(listener)),
            new DecodeContext(ServerFeatures.NONE, Map.of()));
    return Optional.ofNullable(decoded.valid().get("l"))
        .map(valid -> (SocketListener) valid.value());
  }
}
