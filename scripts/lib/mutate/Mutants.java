import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Compares PIT's reports with the list of mutants that are known to survive. Run by {@code
 * scripts/mutate}: {@code Mutants LIST PACKAGE... -- REPORT...}, with the packages or classes that
 * were mutated.
 *
 * <p>A mutant is known by its class, method, mutator and description, and by its number among those
 * of a method that are equal in all of these: a line that moves changes nothing.
 */
public final class Mutants {
  private static final String MEASURED = "#measured";

  /** The identity of a mutant, independent of its line number. */
  record Key(String type, String method, String mutator, String what) {
    String packageName() {
      return type.substring(0, type.lastIndexOf('.'));
    }

    String line(String reason) {
      return String.join("\t", type, method, mutator, what, reason);
    }
  }

  /** How the tests met a mutant. */
  enum Fate {
    KILLED,
    /** Too slow for PIT: killed, but perhaps only since the machine was busy. */
    TIMED_OUT,
    SURVIVED
  }

  /** A mutant of a report. */
  record Mutant(Key key, int line, Fate fate) {}

  /** The committed list. */
  record Listed(Set<String> measured, Map<Key, String> reasons) {}

  public static void main(String[] args) throws Exception {
    List<String> words = List.of(args);
    int split = words.indexOf("--");
    Listed listed = read(Path.of(words.get(0)));
    List<String> scopes = words.subList(1, split);
    List<Mutant> mutants = new ArrayList<>();
    for (String report : words.subList(split + 1, words.size())) {
      mutants.addAll(mutants(Path.of(report)));
    }
    if (mutants.isEmpty()) {
      System.err.println("mutate: there is nothing to mutate in " + String.join(" ", scopes));
      System.exit(2);
    }
    if (!report(listed, scopes, mutants)) {
      System.exit(1);
    }
  }

  private static Listed read(Path file) throws IOException {
    Set<String> measured = new LinkedHashSet<>();
    Map<Key, String> reasons = new LinkedHashMap<>();
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      String[] cells = line.split("\t", -1);
      if (cells[0].equals(MEASURED)) {
        measured.add(cells[1]);
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        if (cells.length != 5 || cells[4].isBlank()) {
          throw new IllegalArgumentException(file + ": not five cells with a reason: " + line);
        }
        if (reasons.put(new Key(cells[0], cells[1], cells[2], cells[3]), cells[4]) != null) {
          throw new IllegalArgumentException(file + ": listed twice: " + line);
        }
      }
    }
    return new Listed(measured, reasons);
  }

  private static List<Mutant> mutants(Path report) throws Exception {
    NodeList nodes =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(report.toFile())
            .getElementsByTagName("mutation");
    List<Element> elements = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      elements.add((Element) nodes.item(i));
    }
    elements.sort(
        Comparator.comparing((Element each) -> text(each, "mutatedClass"))
            .thenComparingInt(each -> Integer.parseInt(text(each, "lineNumber")))
            .thenComparingInt(each -> Integer.parseInt(text(each, "index"))));
    Map<Key, Integer> seen = new HashMap<>();
    List<Mutant> mutants = new ArrayList<>();
    for (Element each : elements) {
      String status = each.getAttribute("status");
      if (status.equals("NON_VIABLE")) {
        continue; // the JVM would not load it
      }
      Fate fate =
          switch (status) {
            case "SURVIVED", "NO_COVERAGE" -> Fate.SURVIVED;
            case "TIMED_OUT" -> Fate.TIMED_OUT;
            case "KILLED", "MEMORY_ERROR", "RUN_ERROR" -> Fate.KILLED;
            default -> throw new IllegalArgumentException(report + ": " + status);
          };
      mutants.add(
          new Mutant(key(each, seen), Integer.parseInt(text(each, "lineNumber")), fate));
    }
    return mutants;
  }

  private static Key key(Element each, Map<Key, Integer> seen) {
    String mutator = text(each, "mutator");
    var plain =
        new Key(
            text(each, "mutatedClass"),
            withoutNumber(text(each, "mutatedMethod")) + text(each, "methodDescription"),
            mutator.substring(mutator.lastIndexOf('.') + 1),
            withoutNumber(text(each, "description").replace('\t', ' ')));
    int number = seen.merge(plain, 1, Integer::sum);
    return number == 1
        ? plain
        : new Key(plain.type(), plain.method(), plain.mutator(), plain.what() + " #" + number);
  }

  /** The number of a lambda says which one of the class it is: it moves with those before it. */
  private static String withoutNumber(String text) {
    return text.replaceAll("(lambda\\$[^$\\s]+)\\$\\d+", "$1");
  }

  private static String text(Element mutation, String tag) {
    return mutation.getElementsByTagName(tag).item(0).getTextContent();
  }

  /** Prints what was found; false when the list is not what it should be. */
  private static boolean report(Listed listed, List<String> scopes, List<Mutant> mutants) {
    Map<String, List<Mutant>> byPackage = new TreeMap<>();
    Map<Key, Mutant> byKey = new HashMap<>();
    for (Mutant mutant : mutants) {
      byPackage.computeIfAbsent(mutant.key().packageName(), none -> new ArrayList<>()).add(mutant);
      byKey.put(mutant.key(), mutant);
    }
    List<String> unlisted = new ArrayList<>();
    List<String> unmeasured = new ArrayList<>();
    byPackage.forEach(
        (name, group) -> {
          long killed = group.stream().filter(each -> each.fate() != Fate.SURVIVED).count();
          System.out.printf(
              "%-32s %4d of %4d mutants killed, %d %%%n",
              name, killed, group.size(), 100 * killed / group.size());
          List<String> into = listed.measured().contains(name) ? unlisted : unmeasured;
          group.stream()
              .filter(each -> each.fate() == Fate.SURVIVED)
              .filter(each -> !listed.reasons().containsKey(each.key()))
              .forEach(each -> into.add(each.key().line("line " + each.line())));
        });
    List<String> outdated = new ArrayList<>();
    listed
        .reasons()
        .forEach(
            (key, reason) -> {
              if (scopes.stream().anyMatch(scope -> isIn(key.type(), scope))) {
                Mutant mutant = byKey.get(key);
                if (mutant == null || mutant.fate() == Fate.KILLED) {
                  outdated.add((mutant == null ? "gone:   " : "killed: ") + key.line(reason));
                }
              }
            });
    print("No list is kept for these packages, so nothing is compared. Survivors:", unmeasured);
    print("FAILED: these survive and are not listed; write a test, or list it with a reason:", unlisted);
    print("FAILED: these do not survive any more; take them off the list:", outdated);
    return unlisted.isEmpty() && outdated.isEmpty();
  }

  /** Whether a class is {@code scope}, a part of it, or in that package or one beneath. */
  private static boolean isIn(String type, String scope) {
    return type.equals(scope) || type.startsWith(scope + ".") || type.startsWith(scope + "$");
  }

  private static void print(String title, List<String> lines) {
    if (!lines.isEmpty()) {
      System.out.println();
      System.out.println(title);
      lines.forEach(line -> System.out.println("  " + line));
    }
  }
}
