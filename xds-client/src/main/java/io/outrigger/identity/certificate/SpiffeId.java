package io.outrigger.identity.certificate;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A SPIFFE ID of the form {@code spiffe://trust-domain/path} (SPIFFE-ID section 2). */
record SpiffeId(String trustDomain) {
  private static final int MAX_LENGTH = 2048;
  private static final String TRUST_DOMAIN = "[a-z0-9._-]{1,255}";

  /** Excludes paths with an empty segment or a segment {@code .} or {@code ..}. */
  private static final Pattern FORM =
      Pattern.compile("spiffe://(" + TRUST_DOMAIN + ")(?:/(?!\\.\\.?(?:/|$))[A-Za-z0-9._-]++)*+");

  static boolean isTrustDomain(String text) {
    return text.matches(TRUST_DOMAIN);
  }

  static Optional<SpiffeId> parse(String uri) {
    Matcher form = FORM.matcher(uri);
    return uri.length() <= MAX_LENGTH && form.matches()
        ? Optional.of(new SpiffeId(form.group(1)))
        : Optional.empty();
  }
}
