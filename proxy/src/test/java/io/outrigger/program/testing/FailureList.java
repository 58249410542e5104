package io.outrigger.program.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The texts of failures that people read, in {@code failures.txt}: each names the thing, the reason
 * and the remedy. A test provokes the failures of one section and compares their texts with the
 * list. With {@code -Doutrigger.failures.write=true} it writes them instead; the change is then
 * read whole before it is committed.
 */
public final class FailureList {
  private static final Path FILE = Path.of("src/test/resources/failures.txt");
  private static final String SECTION = "== ";
  private static final String TITLE = "-- ";

  private final String section;
  private final Map<String, String> texts = new LinkedHashMap<>();

  public FailureList(String section) {
    this.section = section;
  }

  /** A failure was provoked, and this was its text. */
  public void add(String title, String text) {
    assertThat(text).as(title).isNotBlank();
    assertThat(texts.put(title, text.strip())).as("another failure \"%s\"", title).isNull();
  }

  /** Compares what was added with the section of the list. */
  public void check() throws IOException {
    var text = new StringBuilder();
    texts.forEach((title, failure) -> text.append(TITLE + title + "\n" + failure + "\n"));
    if (Boolean.getBoolean("outrigger.failures.write")) {
      write(section, text.toString());
      return;
    }
    assertThat(text.toString())
        .as("%s, section \"%s\"; -Doutrigger.failures.write=true writes it", FILE, section)
        .isEqualTo(read().get(section));
  }

  /** The sections of the list. */
  public static Set<String> sections() throws IOException {
    return read().keySet();
  }

  /** One section at a time: tests run side by side. */
  private static synchronized void write(String section, String text) throws IOException {
    Map<String, String> sections = read();
    sections.put(section, text);
    var all = new StringBuilder();
    sections.forEach((name, failures) -> all.append(SECTION + name + "\n" + failures + "\n"));
    Files.writeString(FILE, all.toString().stripTrailing() + "\n");
  }

  private static Map<String, String> read() throws IOException {
    Map<String, String> sections = new LinkedHashMap<>();
    String name = "";
    for (String line : Files.exists(FILE) ? Files.readAllLines(FILE) : List.<String>of()) {
      if (line.startsWith(SECTION)) {
        name = line.substring(SECTION.length());
        sections.put(name, "");
      } else if (!line.isEmpty()) {
        sections.merge(name, line + "\n", String::concat);
      }
    }
    return sections;
  }
}
