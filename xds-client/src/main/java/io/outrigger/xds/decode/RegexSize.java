package io.outrigger.xds.decode;

import io.outrigger.base.AnyThread;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * Estimates the compiled size of a regular expression before the expression is compiled.
 *
 * <p>RE2 matches in linear time, but its compiler recurses into nested groups and copies the
 * operand of a counted repetition. For example, <code>((a{1000}){1000}){1000}</code> has 23
 * characters but compiles to a billion instructions. RegexSize adds up the copies in one pass over
 * the text. The pass does not need to understand the syntax exactly, because RE2 itself still
 * compiles or rejects an expression that the pass misreads. An instance is used for one call.
 */
@AnyThread
final class RegexSize {
  static final int MAX_LENGTH = 16 * 1024;
  static final int MAX_DEPTH = 250;
  static final long MAX_SIZE = 100_000;

  private final String regex;

  /** The size of the sequence before each open group. */
  private final ArrayDeque<Long> outer = new ArrayDeque<>();

  private long sequence;
  private long atom;

  RegexSize(String regex) {
    this.regex = regex;
  }

  /** Returns the reason why the expression must not be compiled; empty if it may be compiled. */
  Optional<String> reasonTooLarge() {
    if (regex.length() > MAX_LENGTH) {
      return Optional.of("expression of more than " + MAX_LENGTH + " characters");
    }
    int at = 0;
    while (at < regex.length()) {
      at = step(at);
      if (outer.size() > MAX_DEPTH) {
        return Optional.of("expression with groups nested more than " + MAX_DEPTH + " deep");
      }
      if (sequence > MAX_SIZE) {
        return Optional.of("expression whose counted repetitions make it too large");
      }
    }
    return Optional.empty();
  }

  private int step(int at) {
    switch (regex.charAt(at)) {
      case '\\' -> {
        addAtom(1);
        return at + 2;
      }
      case '[' -> {
        addAtom(1);
        return endOfClass(at + 1);
      }
      case '(' -> {
        outer.push(sequence);
        sequence = 0;
      }
      case ')' -> {
        if (!outer.isEmpty()) {
          long group = sequence + 1;
          sequence = outer.pop();
          addAtom(group);
        }
      }
      case '{' -> {
        return repetition(at + 1);
      }
      default -> addAtom(1);
    }
    return at + 1;
  }

  private void addAtom(long size) {
    atom = size;
    sequence += size;
  }

  /**
   * Returns the index after a character class, which ends with the first unescaped {@code ]} that
   * is not its first character.
   */
  private int endOfClass(int first) {
    int at = first;
    if (at < regex.length() && regex.charAt(at) == '^') {
      at++;
    }
    int start = at;
    while (at < regex.length()) {
      char c = regex.charAt(at);
      if (c == ']' && at > start) {
        return at + 1;
      }
      at += c == '\\' ? 2 : 1;
    }
    return at;
  }

  /**
   * Reads a counted repetition and multiplies the size of the last atom by the larger count. A
   * brace that does not begin a repetition counts as a literal.
   */
  private int repetition(int first) {
    long count = 0;
    long largest = 0;
    for (int at = first; at < regex.length(); at++) {
      char c = regex.charAt(at);
      if (c >= '0' && c <= '9') {
        count = Math.min(count * 10 + (c - '0'), MAX_SIZE + 1);
        largest = Math.max(largest, count);
      } else if (c == ',') {
        count = 0;
      } else if (c == '}') {
        long copies = atom * Math.max(0, largest - 1);
        sequence += copies;
        atom += copies;
        return at + 1;
      } else {
        break;
      }
    }
    addAtom(1); // a literal brace
    return first;
  }
}
