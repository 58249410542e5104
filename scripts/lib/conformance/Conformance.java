import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Generates CONFORMANCE.md, which has every row of {@code rows.tsv} with the number of tests whose {@code @Conformance} names the
 * row, and a page with the names of these tests. Reads sources, not classes, so that no build is needed. An annotation on a method
 * that is not a test, or on a test that does not run, is an error. Run by {@code scripts/conformance}.
 */
public final class Conformance {
  /** One behaviour. A test must name each row that is {@code due} and has the priority P0 or P1. */
  record Row(String id, String priority, boolean due, String behaviour) {
    boolean mustHold() {
      return due && (priority.equals("P0") || priority.equals("P1"));
    }
  }

  /** A heading with its rows, in the order of the file. */
  record Section(String title, List<Row> rows) {}

  /** For each row id, the tests that name the row, sorted; and the errors of annotations on other methods. */
  record Named(Map<String, TreeSet<String>> tests, List<String> wrong) {
    TreeSet<String> of(String id) {
      return tests.getOrDefault(id, new TreeSet<>());
    }
  }

  private static final String ROWS = "CONFORMANCE.md";
  private static final String PROOFS = "proxy/docs/conformance-tests.md";
  private static final Pattern ROW_ID = Pattern.compile("\"([^\"]*)\"");
  private static final Pattern TYPE = Pattern.compile("\\b(?:class|record|interface|enum)\\s+(\\w+)");
  private static final Pattern METHOD = Pattern.compile("\\b(\\w+)\\s*\\(");
  private static final Pattern HIDDEN = Pattern.compile("\\b(?:private|static)\\b");
  private static final Set<String> TESTS =
      Set.of(
          "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property",
          "Example", "FuzzTest");
  private static final Pattern RUN_FILE = Pattern.compile(".*(?:Test|Properties|IT)\\.java");
  private static final Pattern ABSTRACT = Pattern.compile("\\babstract class\\b");
  private static final Pattern TABLE_ROW =
      Pattern.compile("\\| ([A-Z]+\\d*S?-\\d+) \\|.*\\| (P\\d) \\|\\s*");

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

    List<Section> sections = readRows(root.resolve("scripts/lib/conformance/rows.tsv"));
    Map<String, Row> rows = new LinkedHashMap<>();
    sections.forEach(section -> section.rows().forEach(row -> rows.put(row.id(), row)));
    Named named = readAnnotations(root);

    List<String> wrong = new ArrayList<>(named.wrong());
    named.tests().forEach(
        (id, tests) -> {
          if (!rows.containsKey(id)) {
            wrong.add("no row \"" + id + "\", named by " + String.join(", ", tests));
          }
        });
    if (Files.exists(table)) {
      wrong.addAll(differences(rows, table));
    }

    String texts = Files.readString(root.resolve("scripts/lib/conformance/texts.md"));
    Map<String, String> pages =
        Map.of(ROWS, rows(sections, named, texts), PROOFS, proofs(sections, named));
    for (Map.Entry<String, String> page : pages.entrySet()) {
      Path file = root.resolve(page.getKey());
      if (!check) {
        Files.writeString(file, page.getValue());
      } else if (!Files.exists(file) || !Files.readString(file).equals(page.getValue())) {
        wrong.add(page.getKey() + " is stale; run scripts/conformance");
      }
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
    Named named = new Named(new TreeMap<>(), new ArrayList<>());
    for (String module : List.of("config", "xds-client", "lb", "http2", "proxy")) {
      Path sources = root.resolve(module).resolve("src/test/java");
      if (!Files.isDirectory(sources)) {
        continue;
      }
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).sorted().toList()) {
          readAnnotations(file, named);
        }
      }
    }
    return named;
  }

  /**
   * A declared type or method, with its annotations.
   *
   * @param annotations the text in the parentheses of each annotation, by name
   * @param modifiers the text between the annotations and the name
   * @param method empty for a type
   */
  record Declaration(
      Map<String, String> annotations, String modifiers, Optional<String> method) {
    /** Returns the reason why no test of this declaration runs; empty when a test may run. */
    Optional<String> reason() {
      if (annotations.containsKey("Disabled")) {
        return Optional.of("is disabled");
      }
      if (method.isEmpty()) {
        return Optional.empty();
      }
      if (annotations.keySet().stream().noneMatch(TESTS::contains)) {
        return Optional.of("is no test");
      }
      return HIDDEN.matcher(modifiers).find()
          ? Optional.of("is private or static")
          : Optional.empty();
    }
  }

  private static void readAnnotations(Path file, Named named) throws IOException {
    String source = withoutComments(Files.readString(file));
    String name = file.getFileName().toString();
    String type = name.replace(".java", "");
    List<Declaration> declarations = declarations(source);
    boolean isRun = RUN_FILE.matcher(name).matches() || ABSTRACT.matcher(source).find();
    boolean isDisabled =
        declarations.stream()
            .anyMatch(d -> d.method().isEmpty() && d.annotations().containsKey("Disabled"));
    for (Declaration declaration : declarations) {
      String rows = declaration.annotations().get("Conformance");
      if (rows == null) {
        continue;
      }
      String test = declaration.method().map(method -> type + "." + method).orElse(type);
      Optional<String> reason =
          isDisabled
              ? Optional.of("is in a class that is disabled")
              : isRun ? declaration.reason() : Optional.of("is in a file that is not run");
      Matcher id = ROW_ID.matcher(rows);
      while (id.find()) {
        if (reason.isPresent()) {
          named.wrong().add("row " + id.group(1) + " is named by " + test + ", which " + reason.get());
        } else {
          named.tests().computeIfAbsent(id.group(1), any -> new TreeSet<>()).add(test);
        }
      }
    }
  }

  /** Returns the declarations in {@code source} that have annotations. */
  private static List<Declaration> declarations(String source) {
    List<Declaration> found = new ArrayList<>();
    int at = 0;
    while (at < source.length()) {
      char c = source.charAt(at);
      if (c == '"') {
        at = behindString(source, at);
      } else if (c == '\'') {
        at = behindCharacter(source, at);
      } else if (c == '@' && !source.startsWith("@interface", at)) {
        Map<String, String> annotations = new LinkedHashMap<>();
        at = behindAnnotations(source, at, annotations);
        found.add(declared(source, at, annotations));
      } else {
        at++;
      }
    }
    return found;
  }

  /** Reads the annotations that begin at {@code from} into the map; returns the position after the last annotation. */
  private static int behindAnnotations(String source, int from, Map<String, String> into) {
    int at = from;
    while (at < source.length() && source.charAt(at) == '@') {
      int start = ++at;
      while (at < source.length()
          && (Character.isJavaIdentifierPart(source.charAt(at)) || source.charAt(at) == '.')) {
        at++;
      }
      String name = source.substring(start, at);
      int open = at;
      if (at < source.length() && source.charAt(at) == '(') {
        at = behindClosing(source, at);
      }
      into.put(name.substring(name.lastIndexOf('.') + 1), source.substring(open, at));
      while (at < source.length() && Character.isWhitespace(source.charAt(at))) {
        at++;
      }
    }
    return at;
  }

  /** Returns the first type or method that is declared at {@code at} or later, skipping fields. */
  private static Declaration declared(String source, int at, Map<String, String> annotations) {
    Matcher type = TYPE.matcher(source).region(at, source.length());
    Matcher method = METHOD.matcher(source).region(at, source.length());
    boolean hasMethod = method.find();
    if (type.find() && (!hasMethod || type.start() < method.start())) {
      return new Declaration(annotations, source.substring(at, type.start()), Optional.empty());
    }
    return hasMethod
        ? new Declaration(
            annotations, source.substring(at, method.start()), Optional.of(method.group(1)))
        : new Declaration(annotations, "", Optional.empty());
  }

  /** Returns the position after the parenthesis that closes the one at {@code open}; parentheses in strings do not count. */
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

  private static int behindCharacter(String source, int quote) {
    return source.indexOf('\'', source.charAt(quote + 1) == '\\' ? quote + 3 : quote + 2) + 1;
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
        end = behindCharacter(source, at);
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

  /** Returns the page of all rows, with the number of tests of each row. */
  private static String rows(List<Section> sections, Named named, String texts) {
    StringBuilder out = new StringBuilder();
    out.append("# Conformance\n\n");
    out.append("Generated by `scripts/conformance` from the tests; do not edit. Each row is one observable");
    out.append(" behaviour. A proxy that violates a P0\nrow is wrong or unsafe. A faithful implementation satisfies the P1 rows.");
    out.append(" P2 rows are for completeness. A row without a test does not\ncount as implemented; another page");
    out.append(" names [the tests of each row](" + PROOFS + ").\n\n");
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
    out.append("\n").append(texts);
    for (Section section : sections) {
      out.append("\n## ").append(section.title()).append("\n\n");
      out.append("| Id | Priority | Behaviour | Tests |\n| --- | --- | --- | --- |\n");
      for (Row row : section.rows()) {
        out.append("| ").append(row.id()).append(" | ").append(row.priority()).append(" | ");
        out.append(row.behaviour().replace("|", "\\|")).append(" | ");
        out.append(named.of(row.id()).size()).append(" |\n");
      }
    }
    return out.toString();
  }

  /** Returns the page with the tests of each row. */
  private static String proofs(List<Section> sections, Named named) {
    StringBuilder out = new StringBuilder();
    out.append("# The tests of each row\n\n");
    out.append("Generated by `scripts/conformance`; do not edit. [CONFORMANCE.md](../../" + ROWS + ")");
    out.append(" has the behaviour of each row.\n");
    for (Section section : sections) {
      out.append("\n## ").append(section.title()).append("\n\n");
      out.append("| Id | Tests |\n| --- | --- |\n");
      for (Row row : section.rows()) {
        String tests =
            String.join(", ", named.of(row.id()).stream().map(t -> "`" + t + "`").toList());
        out.append("| ").append(row.id()).append(" | ").append(tests).append(" |\n");
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
