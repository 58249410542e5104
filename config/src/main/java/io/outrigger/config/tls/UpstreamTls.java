package io.outrigger.config.tls;

import io.outrigger.base.IpLiteral;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How the endpoints of a cluster are reached by TLS (A29 "CDS for Client Side Security"). Equal
 * settings may share connections and TLS contexts; others never do.
 *
 * @param identity shown to servers that ask for it; empty for none
 * @param roots what a server's certificate must lead to
 * @param sanMatchers which names of a server are accepted; any when there is none
 * @param sni the server name to ask for, at most 255 bytes; empty for none (A101)
 * @param autoHostSni whether to ask for an endpoint's own host name, where it has one
 * @param autoSniSanValidation whether the server name that was asked for takes the place of {@code
 *     sanMatchers}
 * @param alpn protocols to offer before {@code h2}, each of which means HTTP/2 too
 */
public record UpstreamTls(
    Optional<ProviderInstance> identity,
    TrustSource roots,
    List<SanMatcher> sanMatchers,
    String sni,
    boolean autoHostSni,
    boolean autoSniSanValidation,
    List<String> alpn) {
  /** Longer ones are refused (A101 "Validation"). */
  public static final int MAX_SNI_BYTES = 255;

  private static final int NAMES_SHOWN = 5;

  public UpstreamTls {
    sanMatchers = List.copyOf(sanMatchers);
    alpn = List.copyOf(alpn);
  }

  /** {@code h2} alone is offered. */
  public UpstreamTls(
      Optional<ProviderInstance> identity,
      TrustSource roots,
      List<SanMatcher> sanMatchers,
      String sni,
      boolean autoHostSni,
      boolean autoSniSanValidation) {
    this(identity, roots, sanMatchers, sni, autoHostSni, autoSniSanValidation, List.of());
  }

  /** Names of any server that the roots vouch for are accepted, and no server name is sent. */
  public UpstreamTls(Optional<ProviderInstance> identity, TrustSource roots) {
    this(identity, roots, List.of(), "", false, false);
  }

  /** The same, with {@code protocols} offered before {@code h2}. */
  public UpstreamTls offering(List<String> protocols) {
    return new UpstreamTls(
        identity, roots, sanMatchers, sni, autoHostSni, autoSniSanValidation, protocols);
  }

  /**
   * The server name to ask an endpoint for (A101 "Proposal"), without port and final dot. Never an
   * IP address, which the extension has no place for (RFC 6066 section 3), nor a name that no host
   * can have.
   *
   * @param hostname of the endpoint, perhaps with a port; empty when it has none
   * @return empty when no server name is sent
   */
  public Optional<String> serverName(String hostname) {
    return (autoHostSni ? hostOf(hostname) : Optional.<String>empty()).or(() -> hostOf(sni));
  }

  /** The name in {@code host}, {@code host:port}, or neither for an IP address. */
  private static Optional<String> hostOf(String text) {
    int colon = text.indexOf(':');
    boolean hasPort = colon >= 0 && colon == text.lastIndexOf(':');
    String host = hasPort ? text.substring(0, colon) : text;
    String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    boolean isIp6 = name.indexOf(':') >= 0;
    return isIp6 || !isHostName(name) || IpLiteral.canonical(name).isPresent()
        ? Optional.empty()
        : Optional.of(name);
  }

  private static boolean isHostName(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_SNI_BYTES
        && name.chars().allMatch(c -> c > ' ' && c < 0x7F);
  }

  /**
   * Why a server with these names is not accepted (A29 "Server Authorization", A101 "SAN SNI
   * validation"); empty when it is.
   *
   * @param names all that its certificate has
   * @param serverName that it was asked for; empty when it was asked for none
   */
  public Optional<String> objection(Collection<SubjectAltName> names, Optional<String> serverName) {
    boolean bySni = autoSniSanValidation && serverName.isPresent();
    boolean mustHaveName = autoSniSanValidation && (autoHostSni || !sni.isEmpty());
    if (mustHaveName && !bySni && sanMatchers.isEmpty()) { // decision xds-0060
      return Optional.of(
          "SAN not accepted: auto_sni_san_validation compares it with the server name, and no"
              + " server name was sent (an IP address is none)");
    }
    if (!bySni && sanMatchers.isEmpty()) {
      return Optional.empty();
    }
    for (SubjectAltName name : names) {
      boolean accepted =
          bySni
              ? name.kind() == SubjectAltName.Kind.DNS
                  && name.isLegible()
                  && name.covers(serverName.get())
              : sanMatchers.stream().anyMatch(matcher -> matcher.matches(name));
      if (accepted) {
        return Optional.empty();
      }
    }
    String wanted =
        bySni
            ? "dns \"" + serverName.get() + "\", the server name that was asked for"
            : listed(sanMatchers.stream());
    return Optional.of(
        (names.isEmpty() ? "SAN (none)" : "SAN " + listed(names.stream()))
            + " not accepted; wanted: "
            + wanted);
  }

  private static String listed(Stream<?> things) {
    List<?> all = things.toList();
    String shown =
        all.stream().limit(NAMES_SHOWN).map(Object::toString).collect(Collectors.joining(", "));
    return all.size() > NAMES_SHOWN ? shown + ", … (" + all.size() + " in all)" : shown;
  }
}
