package io.outrigger.xds.dns;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.IDN;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The settings of resolv.conf(5), parsed as the C library does. Invalid lines are skipped, the last
 * {@code search} or {@code domain} line applies, and numbers have the limits of the manual page.
 *
 * <p>Queries carry no OPT record, even with {@code edns0} or {@code trust-ad} (decision xds-0072).
 * Each query has a socket of its own, even without {@code single-request-reopen}. {@code sortlist},
 * {@code inet6}, {@code no-check-names}, {@code ip6-*} and {@code debug} are ignored.
 *
 * @param servers the name servers in the order of queries, at least one
 * @param search the search list: the domains that are appended to a name
 * @param ndots a name with at least this many dots is first looked up without a search domain
 * @param timeout the timeout of one query to one server
 * @param attempts the number of passes over the list of servers
 * @param options the words of the {@code options} lines
 */
record ResolvConf(
    List<InetSocketAddress> servers,
    List<String> search,
    int ndots,
    Duration timeout,
    int attempts,
    Set<String> options) {
  static final Path FILE = Path.of("/etc/resolv.conf");

  private static final int PORT = 53;
  private static final int TIMEOUT = 5; // RES_TIMEOUT, seconds
  private static final int ATTEMPTS = 2; // RES_DFLRETRY
  private static final int MAX_NAME = 253; // RFC 1035, in text
  private static final int MAX_SERVERS = 3; // MAXNS
  private static final int MAX_NDOTS = 15; // RES_MAXNDOTS
  private static final int MAX_TIMEOUT = 30; // RES_MAXRETRANS
  private static final int MAX_ATTEMPTS = 5; // RES_MAXRETRY
  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

  ResolvConf {
    servers = List.copyOf(servers);
    search = List.copyOf(search);
    options = Set.copyOf(options);
  }

  /** Reads the settings of this machine. Without resolv.conf, the manual page's defaults apply. */
  static ResolvConf ofSystem() {
    return parse(text(FILE), System.getenv(), text(HOST_NAME), PORT);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) { // the file does not exist or cannot be read
      return "";
    }
  }

  /**
   * @param environment the environment variables; {@code LOCALDOMAIN} and {@code RES_OPTIONS}
   *     override the file
   * @param hostName the machine's host name; its domain is the default of the search list
   */
  static ResolvConf parse(String text, Map<String, String> environment, String hostName, int port) {
    List<InetSocketAddress> servers = new ArrayList<>();
    List<String> search =
        words(hostName.contains(".") ? hostName.substring(hostName.indexOf('.') + 1) : "");
    List<String> options = new ArrayList<>();
    for (String line : text.lines().toList()) {
      List<String> words = words(line);
      if (words.size() < 2 || !line.startsWith(words.get(0))) {
        continue; // a keyword must begin in the first column
      }
      List<String> values = words.subList(1, words.size());
      switch (words.get(0)) {
        case "nameserver" ->
            address(values.get(0)).ifPresent(ip -> servers.add(new InetSocketAddress(ip, port)));
        case "domain" -> search = values.subList(0, 1);
        case "search" -> search = values;
        case "options" -> options.addAll(values);
        default -> {} // a comment, sortlist, or an unknown keyword
      }
    }
    if (servers.isEmpty()) {
      servers.add(new InetSocketAddress(NetUtil.LOCALHOST4, port));
    }
    if (environment.containsKey("LOCALDOMAIN")) {
      search = words(environment.get("LOCALDOMAIN"));
    }
    options.addAll(words(environment.getOrDefault("RES_OPTIONS", "")));
    return new ResolvConf(
        servers.subList(0, Math.min(servers.size(), MAX_SERVERS)),
        search,
        number(options, "ndots:", 1, 0, MAX_NDOTS),
        Duration.ofSeconds(number(options, "timeout:", TIMEOUT, 1, MAX_TIMEOUT)),
        number(options, "attempts:", ATTEMPTS, 1, MAX_ATTEMPTS),
        new HashSet<>(options));
  }

  private static List<String> words(String line) {
    return BLANKS.splitAsStream(line).filter(word -> !word.isEmpty()).toList();
  }

  /** Parses an address, which may include an interface: {@code fe80::1%eth0}. */
  private static Optional<InetAddress> address(String text) {
    if (!NetUtil.isValidIpV4Address(text) && !NetUtil.isValidIpV6Address(text)) {
      return Optional.empty();
    }
    try {
      return Optional.of(InetAddress.getByName(text));
    } catch (UnknownHostException e) { // the interface does not exist
      return Optional.empty();
    }
  }

  private static int number(List<String> options, String option, int absent, int min, int max) {
    int value = absent;
    for (String word : options) {
      if (word.startsWith(option) && word.substring(option.length()).matches("[0-9]{1,9}")) {
        value = Integer.parseInt(word.substring(option.length()));
      }
    }
    return Math.max(min, Math.min(value, max));
  }

  boolean has(String option) {
    return options.contains(option);
  }

  /** Returns the names to look up for a host, in order; omits invalid DNS names. */
  List<String> candidates(String host) {
    List<String> candidates = new ArrayList<>();
    if (!host.endsWith(".")) {
      search.forEach(domain -> candidates.add(domain.equals(".") ? host : host + "." + domain));
    }
    long dots = host.chars().filter(c -> c == '.').count();
    if (dots >= ndots || dots > 0 || candidates.isEmpty() || !has("no-tld-query")) {
      candidates.add(dots >= ndots ? 0 : candidates.size(), host);
    }
    return candidates.stream().flatMap(name -> ascii(name).stream()).distinct().toList();
  }

  private static Optional<String> ascii(String name) {
    try {
      String ascii = IDN.toASCII(name);
      boolean printable = ascii.chars().allMatch(c -> c > ' ' && c <= '~');
      return Optional.of(ascii).filter(it -> printable && !it.isEmpty() && it.length() <= MAX_NAME);
    } catch (IllegalArgumentException e) { // a label is empty or too long
      return Optional.empty();
    }
  }
}
