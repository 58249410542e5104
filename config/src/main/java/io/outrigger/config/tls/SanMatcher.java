package io.outrigger.config.tls;

import io.outrigger.config.route.StringMatcher;
import java.util.Optional;

/**
 * One entry of {@code match_typed_subject_alt_names} or {@code match_subject_alt_names}. The
 * entries of the latter match names of any kind.
 *
 * @param kind the kind of the names; empty for any kind
 */
public record SanMatcher(Optional<SubjectAltName.Kind> kind, StringMatcher text) {
  /** Creates a matcher for names of any kind. */
  public static SanMatcher ofAnyKind(StringMatcher text) {
    return new SanMatcher(Optional.empty(), text);
  }

  /**
   * Whether the matcher accepts {@code name}. An exact matcher honors the wildcards of a DNS name
   * in a certificate (A29).
   */
  public boolean matches(SubjectAltName name) {
    if (kind.isPresent() && kind.get() != name.kind()) {
      return false;
    }
    if (!name.isLegible()) {
      return false;
    }
    if (name.kind() == SubjectAltName.Kind.DNS && text instanceof StringMatcher.Exact exact) {
      return name.covers(exact.exact());
    }
    return text.matches(name.value());
  }

  @Override
  public String toString() {
    return kind.map(each -> each.word() + " ").orElse("") + text;
  }
}
