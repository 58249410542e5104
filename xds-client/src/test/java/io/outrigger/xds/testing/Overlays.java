package io.outrigger.xds.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.xds.local.OverlayFiles;
import io.outrigger.xds.overlay.Overlay;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Overlays as their documents are written. */
public final class Overlays {
  /** One for all documents: a rule that is read again is the same rule. */
  private static final Path FOLDER = folder();

  private Overlays() {}

  private static Path folder() {
    try {
      Path folder = Files.createTempDirectory("overlay");
      folder.toFile().deleteOnExit();
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The overlay of a document without a fault. */
  public static Overlay of(String yaml) {
    OverlayFiles read = read(yaml, ".yaml");
    assertThat(read.problems()).isEmpty();
    return read.overlay();
  }

  /** What is wrong with a document: {@code line:column: message}, each. */
  public static List<String> problems(String text, String suffix) {
    return read(text, suffix).problems().stream()
        .map(problem -> problem.line() + ":" + problem.column() + ": " + problem.message())
        .toList();
  }

  private static synchronized OverlayFiles read(String text, String suffix) {
    try {
      Path file = FOLDER.resolve("overlay" + suffix);
      Files.writeString(file, text);
      file.toFile().deleteOnExit();
      return OverlayFiles.read(List.of(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
