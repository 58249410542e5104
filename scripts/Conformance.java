import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Generates CONFORMANCE.md: every row of {@code conformance-rows.tsv} with the tests that name it in
 * {@code @Conformance}. Reads sources, not classes, so that it needs no build. Run by {@code
 * scripts/conformance}.
 */
public final class Conformance {
  /** One behaviour; {@code due} rows of priority P0 and P1 must be named by a test. */
  record Row(String id, String priority, boolean due, String behaviour) {
    boolean mustHold() {
      return due && (priority.equals("P0") || priority.equals("P1"));
    }
  }

  /** A heading with its rows, in the order of the file. */
  record Section(String title, List<Row> rows) {}

  /** Row id to the tests that name it, sorted. */
  record Named(Map<String, TreeSet<String>> tests) {
    TreeSet<String> of(String id) {
      return tests.getOrDefault(id, new TreeSet<>());
    }
  }

  private static final Pattern ANNOTATION =
      Pattern.compile("@Conformance\\s*\\(([^)]*)\\)");
  private static final Pattern ROW_ID = Pattern.compile("\"([^\"]*)\"");
  private static final Pattern TYPE = Pattern.compile("\\b(?:class|record|interface|enum)\\s+(\\w+)");
  private static final Pattern METHOD = Pattern.compile("\\b(\\w+)\\s*\\(");
  private static final Pattern TABLE_ROW =
      Pattern.compile("\\| ([A-Z]+\\d*-\\d+) \\|.*\\| (P\\d) \\|\\s*");

  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]);
    boolean check = false;
    Path table = root.resolve("../shared/CONFORMANCE.md");
    for (int i = 1; i < args.length; i++) {
      if (args[i].equals("--check")) {
        check = true;
      } else if (args[i].equals("--table") && i + 1 < args.length) {
        table = Path.of(args[++i]);
      } else {
        System.err.println("conformance: unknown argument \"" + args[i] + "\"");
        System.exit(2);
      }
    }

    List<Section> sections = readRows(root.resolve("scripts/conformance-rows.tsv"));
    Map<String, Row> rows = new LinkedHashMap<>();
    sections.forEach(section -> section.rows().forEach(row -> rows.put(row.id(), row)));
    Named named = readAnnotations(root);

    List<String> wrong = new ArrayList<>();
    named.tests().forEach(
        (id, tests) -> {
          if (!rows.containsKey(id)) {
            wrong.add("no row \"" + id + "\", named by " + String.join(", ", tests));
          }
        });
    if (Files.exists(table)) {
      wrong.addAll(differences(rows, table));
    }

    String report = report(sections, named);
    Path file = root.resolve("CONFORMANCE.md");
    if (!check) {
      Files.writeString(file, report);
    } else if (!Files.exists(file) || !Files.readString(file).equals(report)) {
      wrong.add("CONFORMANCE.md is stale; run scripts/conformance");
    }

    printOpen(sections, named);
    wrong.forEach(line -> System.err.println("conformance: " + line));
    System.exit(wrong.isEmpty() ? 0 : 1);
  }

  private static List<Section> readRows(Path file) throws IOException {
    List<Section> sections = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith("## ")) {
        sections.add(new Section(line.substring(3), new ArrayList<>()));
      } else if (!line.isBlank() && !line.startsWith("#")) {
        String[] cells = line.split("\t");
        if (cells.length != 4) {
          throw new IOException(file + ": not four cells: " + line);
        }
        sections
            .get(sections.size() - 1)
            .rows()
            .add(new Row(cells[0], cells[1], cells[2].equals("due"), cells[3]));
      }
    }
    return sections;
  }

  private static Named readAnnotations(Path root) throws IOException {
    Map<String, TreeSet<String>> tests = new TreeMap<>();
    for (String module : List.of("config", "xds-client", "lb", "proxy")) {
      Path sources = root.resolve(module).resolve("src/test/java");
      if (!Files.isDirectory(sources)) {
        continue;
      }
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).sorted().toList()) {
          readAnnotations(file, tests);
        }
      }
    }
    return new Named(tests);
  }

  private static void readAnnotations(Path file, Map<String, TreeSet<String>> tests)
      throws IOException {
    String source = withoutComments(Files.readString(file));
    String type = file.getFileName().toString().replace(".java", "");
    Matcher annotation = ANNOTATION.matcher(source);
    while (annotation.find()) {
      String test =
          declaredAfter(source, annotation.end())
              .map(method -> type + "." + method)
              .orElse(type);
      Matcher id = ROW_ID.matcher(annotation.group(1));
      while (id.find()) {
        tests.computeIfAbsent(id.group(1), any -> new TreeSet<>()).add(test);
      }
    }
  }

  /** The method declared behind position {@code from}; empty when a type is declared there. */
  private static Optional<String> declaredAfter(String source, int from) {
    int at = from;
    while (true) {
      while (at < source.length() && Character.isWhitespace(source.charAt(at))) {
        at++;
      }
      if (at >= source.length() || source.charAt(at) != '@') {
        break;
      }
      at++;
      while (at < source.length()
          && (Character.isJavaIdentifierPart(source.charAt(at)) || source.charAt(at) == '.')) {
        at++;
      }
      if (at < source.length() && source.charAt(at) == '(') {
        at = behindClosing(source, at);
      }
    }
    Matcher type = TYPE.matcher(source).region(at, source.length());
    Matcher method = METHOD.matcher(source).region(at, source.length());
    boolean hasMethod = method.find();
    if (type.find() && (!hasMethod || type.start() < method.start())) {
      return Optional.empty();
    }
    return hasMethod ? Optional.of(method.group(1)) : Optional.empty();
  }

  /** The position behind the parenthesis that closes the one at {@code open}; strings are skipped. */
  private static int behindClosing(String source, int open) {
    int depth = 0;
    int at = open;
    while (at < source.length()) {
      char c = source.charAt(at);
      if (c == '"') {
        at = behindString(source, at);
        continue;
      }
      if (c == '(') {
        depth++;
      } else if (c == ')' && --depth == 0) {
        return at + 1;
      }
      at++;
    }
    return at;
  }

  private static int behindString(String source, int quote) {
    String mark = source.startsWith("\"\"\"", quote) ? "\"\"\"" : "\"";
    int at = quote + mark.length();
    while (at < source.length() && !source.startsWith(mark, at)) {
      at += source.charAt(at) == '\\' ? 2 : 1;
    }
    return Math.min(source.length(), at + mark.length());
  }

  private static String withoutComments(String source) {
    StringBuilder code = new StringBuilder(source.length());
    int at = 0;
    while (at < source.length()) {
      char c = source.charAt(at);
      int end;
      if (c == '"') {
        end = behindString(source, at);
      } else if (c == '\'') {
        end = source.indexOf('\'', source.charAt(at + 1) == '\\' ? at + 3 : at + 2) + 1;
      } else if (source.startsWith("//", at)) {
        int newline = source.indexOf('\n', at);
        at = newline < 0 ? source.length() : newline;
        continue;
      } else if (source.startsWith("/*", at)) {
        int close = source.indexOf("*/", at);
        at = close < 0 ? source.length() : close + 2;
        continue;
      } else {
        end = at + 1;
      }
      code.append(source, at, end);
      at = end;
    }
    return code.toString();
  }

  private static List<String> differences(Map<String, Row> rows, Path table) throws IOException {
    List<String> found = new ArrayList<>();
    Map<String, String> theirs = new LinkedHashMap<>();
    for (String line : Files.readAllLines(table)) {
      Matcher row = TABLE_ROW.matcher(line);
      if (row.matches()) {
        theirs.put(row.group(1), row.group(2));
      }
    }
    theirs.forEach(
        (id, priority) -> {
          Row ours = rows.get(id);
          if (ours == null) {
            found.add("row " + id + " (" + priority + ") of " + table + " is missing here");
          } else if (!ours.priority().equals(priority)) {
            found.add("row " + id + " is " + ours.priority() + " here and " + priority + " there");
          }
        });
    rows.keySet().stream()
        .filter(id -> !theirs.containsKey(id))
        .forEach(id -> found.add("row " + id + " is not in " + table));
    return found;
  }

  private static String report(List<Section> sections, Named named) {
    StringBuilder out = new StringBuilder();
    out.append("# Conformance\n\n");
    out.append("Generated by `scripts/conformance` from the tests; do not edit. One observable behaviour a");
    out.append(" row. P0: without it the proxy is\nwrong or unsafe; P1: a faithful implementation has it;");
    out.append(" P2: completeness. A row without a test is not claimed.\n\n");
    out.append("| Group | Rows | Named by a test | P0 and P1 due now | of these open |\n");
    out.append("| --- | --- | --- | --- | --- |\n");
    for (Section section : sections) {
      long tested = section.rows().stream().filter(r -> !named.of(r.id()).isEmpty()).count();
      long due = section.rows().stream().filter(Row::mustHold).count();
      out.append(
          String.format(
              "| %s | %d | %d | %d | %d |%n",
              section.title(), section.rows().size(), tested, due, open(section, named).size()));
    }
    for (Section section : sections) {
      out.append("\n## ").append(section.title()).append("\n\n");
      out.append("| Id | Priority | Behaviour | Tests |\n| --- | --- | --- | --- |\n");
      for (Row row : section.rows()) {
        String tests =
            String.join(", ", named.of(row.id()).stream().map(t -> "`" + t + "`").toList());
        out.append("| ").append(row.id()).append(" | ").append(row.priority()).append(" | ");
        out.append(row.behaviour().replace("|", "\\|")).append(" | ").append(tests).append(" |\n");
      }
    }
    return out.toString();
  }

  private static List<Row> open(Section section, Named named) {
    return section.rows().stream()
        .filter(row -> row.mustHold() && named.of(row.id()).isEmpty())
        .toList();
  }

  private static void printOpen(List<Section> sections, Named named) {
    long due = sections.stream().flatMap(s -> s.rows().stream()).filter(Row::mustHold).count();
    List<Row> open = sections.stream().flatMap(s -> open(s, named).stream()).toList();
    open.forEach(
        row -> System.out.println("open: " + row.id() + " " + row.priority() + " " + row.behaviour()));
    System.out.println(
        "conformance: " + (due - open.size()) + " of " + due + " due P0 and P1 rows are named by tests");
  }
}
