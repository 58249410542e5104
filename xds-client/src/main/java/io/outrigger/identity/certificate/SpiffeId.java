package io.outrigger.identity.certificate;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A SPIFFE ID of the form {@code spiffe://trust-domain/path} (SPIFFE-ID section 2).
 *
 * @param path the path with its leading slash; may be empty
 */
record SpiffeId(String trustDomain, String path) {
  private static final String SCHEME = "spiffe://";
  private static final int MAX_LENGTH = 2048;
  private static final Pattern TRUST_DOMAIN = Pattern.compile("[a-z0-9._-]{1,255}");
  private static final Pattern SEGMENT = Pattern.compile("[A-Za-z0-9._-]+");

  static boolean isTrustDomain(String text) {
    return TRUST_DOMAIN.matcher(text).matches();
  }

  static Optional<SpiffeId> parse(String uri) {
    if (!uri.startsWith(SCHEME) || uri.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String rest = uri.substring(SCHEME.length());
    int slash = rest.indexOf('/');
    String domain = slash < 0 ? rest : rest.substring(0, slash);
    String path = slash < 0 ? "" : rest.substring(slash);
    return isTrustDomain(domain) && isPath(path)
        ? Optional.of(new SpiffeId(domain, path))
        : Optional.empty();
  }

  String uri() {
    return SCHEME + trustDomain + path;
  }

  private static boolean isPath(String path) {
    if (path.isEmpty()) {
      return true;
    }
    for (String segment : path.substring(1).split("/", -1)) {
      if (segment.equals(".") || segment.equals("..") || !SEGMENT.matcher(segment).matches()) {
        return false;
      }
    }
    return true;
  }
}
