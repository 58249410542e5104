package io.outrigger.program.cli;

import io.outrigger.base.PlainText;
import java.util.ArrayList;
import java.util.List;

/**
 * A table of text columns for a terminal. Characters of cells that could control the terminal are
 * replaced, since cells come from other processes.
 */
final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... headings) {
    row(headings);
  }

  void row(String... cells) {
    List<String> row = new ArrayList<>();
    for (String cell : cells) {
      String clean = PlainText.of(cell);
      row.add(clean.isEmpty() ? "-" : clean);
    }
    rows.add(row);
  }

  /** Returns the lines of the table, without trailing spaces. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        line.append(row.get(column));
        line.append(" ".repeat(width(column) - row.get(column).length() + 2));
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }
}
