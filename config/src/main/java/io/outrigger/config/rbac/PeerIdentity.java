package io.outrigger.config.rbac;

import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.WireText;
import java.util.List;
import java.util.Optional;

/** The identity of the peer of a connection, as far as TLS has verified it (A41). */
public sealed interface PeerIdentity {
  boolean matches(StringMatcher name);

  /** Returns the name by which logs show the peer; empty if the peer has no certificate. */
  default Optional<String> name() {
    return Optional.empty();
  }

  /** Returns the SPIFFE ID of the peer, or an empty text. */
  default String spiffeId() {
    return "";
  }

  /** A connection without TLS, whose peer has no name, not even an empty name. */
  record Plain() implements PeerIdentity {
    @Override
    public boolean matches(StringMatcher name) {
      return false;
    }
  }

  /** A TLS connection whose peer has sent no certificate, so that the peer's name is empty. */
  record Anonymous() implements PeerIdentity {
    @Override
    public boolean matches(StringMatcher name) {
      return name.matches("");
    }
  }

  /**
   * A TLS connection with a verified client certificate. Names of one kind alone are compared: the
   * URIs if there are any, else the DNS names if there are any, else the subject.
   *
   * @param uris the URI subject alternative names
   * @param subject the subject's distinguished name in the form of RFC 2253
   */
  record Certified(List<String> uris, List<String> dnsNames, String subject)
      implements PeerIdentity {
    public Certified {
      uris = List.copyOf(uris);
      dnsNames = List.copyOf(dnsNames);
    }

    @Override
    public boolean matches(StringMatcher name) {
      List<String> names = names();
      for (int i = 0; i < names.size(); i++) { // without the iterator of a for-each loop
        if (name.matches(WireText.of(names.get(i)))) {
          return true;
        }
      }
      return names.isEmpty() && name.matches(WireText.of(subject));
    }

    private List<String> names() {
      return uris.isEmpty() ? dnsNames : uris;
    }

    /** A certificate with several URIs has no SPIFFE ID (SPIFFE X.509-SVID section 2). */
    @Override
    public String spiffeId() {
      return uris.size() == 1 && uris.get(0).startsWith("spiffe://") ? uris.get(0) : "";
    }

    @Override
    public Optional<String> name() {
      List<String> names = names();
      return Optional.of(names.isEmpty() ? subject : names.get(0));
    }
  }
}
