package io.outrigger.testing;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Gives a reader of foreign bytes what others might send: valid samples, the samples with a few
 * changes, and random bytes. A reader either returns or throws the one exception that it declares.
 *
 * <p>Each run has its own {@linkplain Seeds seed}, which is part of the failure's text.
 */
public final class ForeignBytes {
  private static final int MAX_CHANGES = 4;
  private static final int MAX_RANDOM_LENGTH = 64;

  /** Lengths, tags, separators and numbers at which readers of several formats take a turn. */
  private static final List<byte[]> INTERESTING =
      Stream.concat(
              Stream.of(
                      "00",
                      "7f",
                      "80",
                      "81ff",
                      "84ffffffff",
                      "8480000000",
                      "ff",
                      "3000",
                      "0500",
                      "0200",
                      "a000",
                      "3080",
                      "efbbbf",
                      "fffe",
                      "c0af",
                      "eda080")
                  .map(HexFormat.of()::parseHex),
              Stream.of(
                      "\"",
                      "{",
                      "}",
                      "[",
                      "]",
                      ":",
                      ",",
                      "null",
                      "-1",
                      "0",
                      "1e999999999",
                      "9223372036854775808",
                      "NaN",
                      "\\u0000",
                      "%",
                      "%zz",
                      "=",
                      "&",
                      ";",
                      "/",
                      "..",
                      "\n",
                      "\r\n",
                      "- ",
                      "&a",
                      "*a",
                      "!!binary ",
                      "<<: ",
                      "@type",
                      "-----BEGIN ",
                      "-----END ",
                      "-----",
                      "é",
                      "\u202e",
                      "")
                  .map(text -> text.getBytes(StandardCharsets.UTF_8)))
          .toList();

  private ForeignBytes() {}

  /** Reads bytes, and ends with a value or with the exception that it declares. */
  public interface Reader {
    void read(byte[] bytes) throws Exception;
  }

  /**
   * A reader, with what it may throw.
   *
   * @param name for the name of the test
   * @param declared the exception that is an accepted outcome; {@code Void.class} for none
   * @param shape of the samples
   * @param samples each of which is read without an exception before it is changed
   */
  public record Case(
      String name, Class<?> declared, Reader reader, Shape shape, List<byte[]> samples) {
    public Case {
      samples = List.copyOf(samples);
    }

    /** Of samples that are text. */
    public static Case ofText(
        String name, Class<?> declared, Reader reader, Shape shape, String... samples) {
      return new Case(
          name,
          declared,
          reader,
          shape,
          Stream.of(samples).map(text -> text.getBytes(StandardCharsets.UTF_8)).toList());
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** Reads the samples of {@code of}, then {@code runs} times something else. */
  public static void check(Case of, int runs) {
    for (byte[] sample : of.samples()) {
      try {
        of.reader().read(sample);
      } catch (Exception e) {
        throw new AssertionError(of + ": a sample is not read: " + text(sample), e);
      }
    }
    for (String nested : List.of("[", "{\"a\":", "0", "- ", "(")) {
      read(of, nested.repeat(50_000).getBytes(StandardCharsets.UTF_8), "nested deeply");
    }
    read(of, new byte[0], "no bytes");
    Seeds.each(runs, seed -> read(of, bytes(of, new Random(seed)), "seed " + seed));
  }

  private static void read(Case of, byte[] bytes, String run) {
    try {
      of.reader().read(bytes);
    } catch (Throwable e) {
      if (!of.declared().isInstance(e)) {
        throw new AssertionError("%s, %s: %s".formatted(of, run, text(bytes)), e);
      }
    }
  }

  private static byte[] bytes(Case of, Random random) {
    if (of.samples().isEmpty() || random.nextInt(10) == 0) {
      byte[] bytes = new byte[random.nextInt(MAX_RANDOM_LENGTH)];
      random.nextBytes(bytes);
      return bytes;
    }
    byte[] bytes = any(of.samples(), random);
    if (of.shape() != Shape.BYTES && random.nextInt(3) > 0) {
      return of.shape().changed(bytes, random);
    }
    for (int changes = 1 + random.nextInt(MAX_CHANGES); changes > 0; changes--) {
      bytes = changed(bytes, of.samples(), random);
    }
    return bytes;
  }

  private static byte[] changed(byte[] bytes, List<byte[]> samples, Random random) {
    int at = random.nextInt(bytes.length + 1);
    int after = at + random.nextInt(Math.min(bytes.length - at, 16) + 1);
    return switch (random.nextInt(7)) {
      case 0 -> withBitChanged(bytes, at, random);
      case 1 -> Arrays.copyOf(bytes, at);
      case 2 -> joined(bytes, at, new byte[0], after);
      case 3 -> joined(bytes, after, Arrays.copyOfRange(bytes, at, after), after); // a part twice
      case 4 -> joined(bytes, at, any(samples, random), bytes.length);
      default -> joined(bytes, at, any(INTERESTING, random), random.nextBoolean() ? at : after);
    };
  }

  private static byte[] withBitChanged(byte[] bytes, int at, Random random) {
    byte[] copy = bytes.clone();
    if (at < copy.length) {
      copy[at] ^= (byte) (1 << random.nextInt(8));
    }
    return copy;
  }

  /** {@code bytes} until {@code end}, {@code middle}, and {@code bytes} from {@code start}. */
  private static byte[] joined(byte[] bytes, int end, byte[] middle, int start) {
    var all = new ByteArrayOutputStream();
    all.write(bytes, 0, end);
    all.writeBytes(middle);
    all.write(bytes, start, bytes.length - start);
    return all.toByteArray();
  }

  private static byte[] any(List<byte[]> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }

  private static String text(byte[] bytes) {
    byte[] start = Arrays.copyOf(bytes, Math.min(bytes.length, 6000));
    return HexFormat.of().formatHex(start) + " = " + new String(start, StandardCharsets.ISO_8859_1);
  }
}
