package io.outrigger.config.tls;

import io.outrigger.config.route.StringMatcher;
import java.util.Optional;

/**
 * One entry of {@code match_typed_subject_alt_names}, or of {@code match_subject_alt_names}, whose
 * entries are for names of any kind.
 *
 * @param kind empty for any
 */
public record SanMatcher(Optional<SubjectAltName.Kind> kind, StringMatcher text) {
  /** A matcher for names of any kind. */
  public static SanMatcher ofAnyKind(StringMatcher text) {
    return new SanMatcher(Optional.empty(), text);
  }

  /** Whether the name is accepted. An exact text follows the wildcards of a DNS name (A29). */
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
