package io.outrigger.config.tls;

import io.outrigger.base.IpAddress;
import io.outrigger.config.route.StringMatcher;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The TLS settings for connections to a cluster's endpoints (A29 "CDS for Client Side Security").
 * Clusters share connections and TLS contexts only if their settings are equal.
 *
 * @param certificate the instance name of the certificate provider for the client certificate,
 *     which is sent to servers that request it
 * @param roots the source of the roots that verify server certificates
 * @param sanMatchers the matchers for names of server certificates; empty to accept every name
 * @param sni the server name to send in SNI, at most 255 bytes; empty for none (A101)
 * @param autoHostSni whether an endpoint's host name, if any, replaces {@code sni}
 * @param autoSniSanValidation whether certificates must match SNI instead of {@code sanMatchers}
 * @param alpn the ALPN protocols to offer before {@code h2}; each of them selects HTTP/2
 */
public record UpstreamTls(
    Optional<String> certificate,
    TrustSource roots,
    List<SanMatcher> sanMatchers,
    String sni,
    boolean autoHostSni,
    boolean autoSniSanValidation,
    List<String> alpn)
    implements TlsSettings {
  /** The maximum number of bytes of a server name in SNI (A101 "Validation"). */
  public static final int MAX_SNI_BYTES = 255;

  public UpstreamTls {
    sanMatchers = List.copyOf(sanMatchers);
    alpn = List.copyOf(alpn);
  }

  public UpstreamTls(
      Optional<String> certificate,
      TrustSource roots,
      List<SanMatcher> sanMatchers,
      String sni,
      boolean autoHostSni,
      boolean autoSniSanValidation) {
    this(certificate, roots, sanMatchers, sni, autoHostSni, autoSniSanValidation, List.of());
  }

  public UpstreamTls offering(List<String> protocols) {
    return new UpstreamTls(
        certificate, roots, sanMatchers, sni, autoHostSni, autoSniSanValidation, protocols);
  }

  /**
   * Returns the server name to send to an endpoint, without port and final dot (A101 "Proposal").
   * IP addresses, which RFC 6066 section 3 forbids, and invalid host names are never sent. {@code
   * hostname} may have a port, or be empty.
   */
  public Optional<String> serverName(String hostname) {
    return (autoHostSni ? hostOf(hostname) : Optional.<String>empty()).or(() -> hostOf(sni));
  }

  /** Returns {@code text} without port and final dot; empty for an IP address or invalid name. */
  private static Optional<String> hostOf(String text) {
    int colon = text.indexOf(':');
    boolean hasPort = colon >= 0 && colon == text.lastIndexOf(':');
    String host = hasPort ? text.substring(0, colon) : text;
    String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    boolean isIp6 = name.indexOf(':') >= 0;
    return isIp6 || !isHostName(name) || IpAddress.canonical(name).isPresent()
        ? Optional.empty()
        : Optional.of(name);
  }

  private static boolean isHostName(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_SNI_BYTES
        && name.chars().allMatch(c -> c > ' ' && c < 0x7F);
  }

  @Override
  public Optional<TrustSource> trust() {
    return Optional.of(roots);
  }

  /** Checks names as in A29 "Server Authorization" and A101 "SAN SNI validation". */
  @Override
  public Optional<String> objection(Collection<SubjectAltName> names, Optional<String> serverName) {
    boolean bySni = autoSniSanValidation && serverName.isPresent();
    boolean mustHaveName = autoSniSanValidation && (autoHostSni || !sni.isEmpty());
    if (mustHaveName && !bySni && sanMatchers.isEmpty()) { // decision xds-0060
      return Optional.of(
          "SAN not accepted: auto_sni_san_validation compares it with the server name, and no"
              + " server name was sent (an IP address is none)");
    }
    if (!bySni) {
      return SanMatcher.objection(sanMatchers, names);
    }
    var exact = new StringMatcher.Exact(serverName.get(), false);
    var wanted = new SanMatcher(Optional.of(SubjectAltName.Kind.DNS), exact);
    return names.stream().anyMatch(wanted::matches)
        ? Optional.empty()
        : Optional.of(
            SanMatcher.notAccepted(
                names, "dns \"" + serverName.get() + "\", the requested server name"));
  }
}
