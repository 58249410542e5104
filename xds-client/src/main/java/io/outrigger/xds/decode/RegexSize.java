package io.outrigger.xds.decode;

import io.outrigger.base.AnyThread;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * Estimates what compiling an expression costs, before it is compiled.
 *
 * <p>RE2 matches in linear time, but the compiler recurses with the depth of groups and copies what
 * a counted repetition repeats: <code>((a{1000}){1000}){1000}</code> is 23 characters and a billion
 * instructions. One pass over the text adds up the copies. It need not understand the syntax
 * exactly; an expression that it misreads is compiled or refused by RE2 itself. Used once, by one
 * call.
 */
@AnyThread
final class RegexSize {
  static final int LONGEST = 16 * 1024;
  static final int DEEPEST = 250;
  static final long LARGEST = 100_000;

  private final String regex;

  /** The size of the sequence before each open group. */
  private final ArrayDeque<Long> outer = new ArrayDeque<>();

  private long sequence;
  private long atom;

  RegexSize(String regex) {
    this.regex = regex;
  }

  /** Why the expression must not be compiled, if so. */
  Optional<String> objection() {
    if (regex.length() > LONGEST) {
      return Optional.of("expression of more than " + LONGEST + " characters");
    }
    int at = 0;
    while (at < regex.length()) {
      at = step(at);
      if (outer.size() > DEEPEST) {
        return Optional.of("expression with groups nested more than " + DEEPEST + " deep");
      }
      if (sequence > LARGEST) {
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

  /** A class ends with the first unescaped bracket that does not open it. */
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

  /** Multiplies the last atom by the larger count of a repetition, if that is what begins here. */
  private int repetition(int first) {
    long count = 0;
    long largest = 0;
    for (int at = first; at < regex.length(); at++) {
      char c = regex.charAt(at);
      if (c >= '0' && c <= '9') {
        count = Math.min(count * 10 + (c - '0'), LARGEST + 1);
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
