package io.outrigger.lb.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the report to the file that is named, or with {@code --check} compares the two. */
final class SimulationMain {
  private SimulationMain() {}

  public static void main(String[] args) throws IOException {
    boolean check = args.length == 2 && args[0].equals("--check");
    Path file = Path.of(args[args.length - 1]);
    String report = SimulationReport.write();
    if (!check) {
      Files.writeString(file, report);
    } else if (!Files.readString(file).equals(report)) {
      System.err.println(file + " is stale: run scripts/simulate and review what changed");
      System.exit(1);
    }
  }
}
