package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.envoyproxy.envoy.type.matcher.v3.RegexMatcher;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.regex.Matcher;

/**
 * Decodes {@code safe_regex}, which has RE2 syntax (A28 "Path Matching"). The compiler of RE2
 * recurses into nested groups and copies the operand of a counted repetition. For example, <code>
 * ((a{1000}){1000}){1000}</code> compiles to a billion instructions. The size of the compiled
 * expression is estimated before it is compiled. The estimate need not understand the syntax
 * exactly, because RE2 rejects invalid expressions later.
 */
final class RegexDecoder {
  static final int MAX_LENGTH = 16 * 1024;
  static final int MAX_DEPTH = 250;
  static final long MAX_SIZE = 100_000;

  private static final String ESCAPED = "(?s)\\\\.";
  private static final String CHARACTER_CLASS = "(?s)\\[\\^?.[^\\]]*\\]?";

  /** Matches a counted repetition; nine digits of the count suffice to exceed every limit. */
  private static final java.util.regex.Pattern REPETITION =
      java.util.regex.Pattern.compile("\\{([0-9]{0,9})[0-9]*,?([0-9]{0,9})[0-9]*\\}");

  private RegexDecoder() {}

  static Optional<Pattern> decode(RegexMatcher proto, FieldErrors errors) {
    String regex = proto.getRegex();
    FieldErrors here = errors.at("regex");
    Optional<String> reasonTooLarge = reasonTooLarge(regex);
    if (reasonTooLarge.isPresent()) {
      return here.refuse(reasonTooLarge.get());
    }
    try {
      return Optional.of(Pattern.compile(regex));
    } catch (PatternSyntaxException e) {
      return here.refuse("invalid RE2 expression " + quoted(regex) + ": " + e.getDescription());
    }
  }

  /** Estimates the size of the compiled expression in one pass over the expression. */
  private static Optional<String> reasonTooLarge(String regex) {
    if (regex.length() > MAX_LENGTH) {
      return Optional.of("expression of more than " + MAX_LENGTH + " characters");
    }
    String parts = regex.replaceAll(ESCAPED, "e").replaceAll(CHARACTER_CLASS, "c");
    Matcher repetition = REPETITION.matcher(parts);
    var outer = new ArrayDeque<Long>(); // the size of the sequence before each open group
    long sequence = 0;
    long atom = 0;
    for (int at = 0; at < parts.length(); at++) {
      char c = parts.charAt(at);
      if (c == '(') {
        outer.push(sequence);
        sequence = 0;
      } else if (c == ')' && !outer.isEmpty()) {
        atom = sequence + 1;
        sequence = outer.pop() + atom;
      } else if (c == '{' && repetition.region(at, parts.length()).lookingAt()) {
        long count = Math.max(count(repetition.group(1)), count(repetition.group(2)));
        long copies = atom * Math.max(0, count - 1);
        sequence += copies;
        atom += copies;
        at = repetition.end() - 1;
      } else {
        atom = 1;
        sequence++;
      }
      if (outer.size() > MAX_DEPTH) {
        return Optional.of("expression with groups nested more than " + MAX_DEPTH + " deep");
      }
      if (sequence > MAX_SIZE) {
        return Optional.of("expression whose counted repetitions make it too large");
      }
    }
    return Optional.empty();
  }

  private static long count(String digits) {
    return digits.isEmpty() ? 0 : Long.parseLong(digits);
  }
}
