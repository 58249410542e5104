package io.outrigger.config.tls;

import io.outrigger.config.route.StringMatcher;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One entry of {@code match_typed_subject_alt_names} or {@code match_subject_alt_names}.
 *
 * @param kind the kind of the names; empty for any kind
 */
public record SanMatcher(Optional<SubjectAltName.Kind> kind, StringMatcher text) {
  private static final int NAMES_SHOWN = 5;

  public static SanMatcher ofAnyKind(StringMatcher text) {
    return new SanMatcher(Optional.empty(), text);
  }

  /**
   * Whether the matcher accepts {@code name}. An exact matcher also accepts a certificate's
   * wildcard DNS name that covers the expected name (A29).
   */
  public boolean matches(SubjectAltName name) {
    if (kind.isPresent() && kind.get() != name.kind()) {
      return false;
    }
    if (!name.isComparable()) {
      return false;
    }
    if (name.kind() == SubjectAltName.Kind.DNS && text instanceof StringMatcher.Exact exact) {
      return name.covers(exact.exact());
    }
    return text.matches(name.value());
  }

  /** Returns why a peer with the given names is refused; empty if the peer is accepted. */
  static Optional<String> objection(List<SanMatcher> matchers, Collection<SubjectAltName> names) {
    boolean accepted =
        matchers.isEmpty()
            || names.stream()
                .anyMatch(name -> matchers.stream().anyMatch(matcher -> matcher.matches(name)));
    return accepted ? Optional.empty() : Optional.of(notAccepted(names, listed(matchers)));
  }

  static String notAccepted(Collection<SubjectAltName> names, String wanted) {
    return (names.isEmpty() ? "SAN (none)" : "SAN " + listed(names))
        + " not accepted; wanted: "
        + wanted;
  }

  private static String listed(Collection<?> things) {
    String shown =
        things.stream().limit(NAMES_SHOWN).map(Object::toString).collect(Collectors.joining(", "));
    return things.size() > NAMES_SHOWN ? shown + ", … (" + things.size() + " in all)" : shown;
  }

  @Override
  public String toString() {
    return kind.map(each -> each.word() + " ").orElse("") + text;
  }
}
