package io.outrigger.config.rbac;

import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.WireText;
import java.util.List;
import java.util.Optional;

/** The TLS-verified identity of a connection's peer (A41). */
public sealed interface PeerIdentity {
  boolean matches(StringMatcher name);

  /** Returns the peer's name for logs; empty if the peer has no certificate. */
  default Optional<String> name() {
    return Optional.empty();
  }

  /** Returns the peer's SPIFFE ID, or an empty text if the peer has no SPIFFE ID. */
  default String spiffeId() {
    return "";
  }

  /** A connection without TLS. Without TLS, a peer has no name, and no matcher of names matches. */
  record Plain() implements PeerIdentity {
    @Override
    public boolean matches(StringMatcher name) {
      return false;
    }
  }

  /** A TLS connection without a client certificate. Its name is empty for matchers. */
  record Anonymous() implements PeerIdentity {
    @Override
    public boolean matches(StringMatcher name) {
      return name.matches("");
    }
  }

  /**
   * A TLS connection with a verified client certificate. Matchers of peer names get the
   * certificate's URIs, or else the DNS names, or else the subject in the form of RFC 2253. The
   * names are kept as {@link WireText}, because a policy may compare them 10,000 times.
   */
  record Certified(List<String> uris, List<String> dnsNames, String subject)
      implements PeerIdentity {
    public Certified {
      uris = uris.stream().map(WireText::of).toList();
      dnsNames = dnsNames.stream().map(WireText::of).toList();
      subject = WireText.of(subject);
    }

    @Override
    public boolean matches(StringMatcher name) {
      List<String> names = names();
      for (int i = 0; i < names.size(); i++) { // avoids the iterator of a for-each loop
        if (name.matches(names.get(i))) {
          return true;
        }
      }
      return names.isEmpty() && name.matches(subject);
    }

    private List<String> names() {
      return uris.isEmpty() ? dnsNames : uris;
    }

    /** Returns an empty text if the certificate has several URIs (SPIFFE X.509-SVID section 2). */
    @Override
    public String spiffeId() {
      return uris.size() == 1 && uris.get(0).startsWith("spiffe://") ? uris.get(0) : "";
    }

    @Override
    public Optional<String> name() {
      List<String> names = names();
      return Optional.of(WireText.read(names.isEmpty() ? subject : names.get(0)));
    }
  }
}
