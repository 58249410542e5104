package io.outrigger.dataplane.forward;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The h2spec program (2.2.0), which is part of a Maven artifact on the test class path. */
final class H2Spec {
  private static final String ARCHIVE = "/h2spec/2.2.0/h2spec_linux_amd64.tar.gz";
  private static final int TAR_BLOCK = 512;

  /**
   * One case of its report.
   *
   * @param section of h2spec, as in {@code http2/5.1.1}, and within it the number of the case
   * @param answer the expected and the actual behavior of a failed case
   */
  record Case(String section, int number, String title, Verdict verdict, String answer) {
    String id() {
      return section + "/" + number;
    }
  }

  enum Verdict {
    PASSED,
    SKIPPED,
    FAILED
  }

  private final Path program;

  private H2Spec(Path program) {
    this.program = program;
  }

  /** Whether the program runs on this machine. */
  static boolean isForThisMachine() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String processor = System.getProperty("os.arch", "");
    return system.equals("linux") && (processor.equals("amd64") || processor.equals("x86_64"));
  }

  /** Unpacks the program into {@code folder}. */
  static H2Spec unpack(Path folder) throws IOException {
    Path program = folder.resolve("h2spec");
    try (InputStream archive = H2Spec.class.getResourceAsStream(ARCHIVE)) {
      if (archive == null) {
        throw new IOException("no " + ARCHIVE + " on the class path");
      }
      var tar = new BufferedInputStream(new GZIPInputStream(archive));
      byte[] head = tar.readNBytes(TAR_BLOCK); // the archive's only member
      int size = Integer.parseInt(new String(head, 124, 11, StandardCharsets.US_ASCII).trim(), 8);
      Files.write(program, tar.readNBytes(size));
    }
    if (!program.toFile().setExecutable(true)) {
      throw new IOException("cannot make " + program + " executable");
    }
    return new H2Spec(program);
  }

  /** Runs every case, strict ones too, against a port of the loopback; three minutes at most. */
  List<Case> run(int port) throws Exception {
    Path report = program.resolveSibling("report.xml");
    Path output = program.resolveSibling("output.txt");
    Files.deleteIfExists(report);
    List<String> command =
        List.of(program.toString(), "-S", "-p", "" + port, "-o", "30", "-j", report.toString());
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(3, TimeUnit.MINUTES)) {
        throw new IOException("h2spec hangs: " + Files.readString(output));
      }
    } finally {
      process.destroyForcibly();
    }
    if (!Files.exists(report)) {
      throw new IOException("h2spec made no report: " + Files.readString(output));
    }
    return read(report);
  }

  private static List<Case> read(Path report) throws Exception {
    var document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report.toFile());
    List<Case> cases = new ArrayList<>();
    NodeList suites = document.getElementsByTagName("testsuite");
    for (int i = 0; i < suites.getLength(); i++) {
      NodeList tests = ((Element) suites.item(i)).getElementsByTagName("testcase");
      for (int j = 0; j < tests.getLength(); j++) {
        cases.add(read((Element) tests.item(j), j + 1));
      }
    }
    return cases;
  }

  private static Case read(Element test, int number) {
    Verdict verdict = Verdict.PASSED;
    if (has(test, "failure") || has(test, "error")) {
      verdict = Verdict.FAILED;
    } else if (has(test, "skipped")) {
      verdict = Verdict.SKIPPED;
    }
    return new Case(
        test.getAttribute("package"),
        number,
        test.getAttribute("classname"),
        verdict,
        test.getTextContent().trim());
  }

  private static boolean has(Element test, String tag) {
    return test.getElementsByTagName(tag).getLength() > 0;
  }
}
