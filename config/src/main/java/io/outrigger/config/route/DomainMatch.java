package io.outrigger.config.route;

/** A virtual host, and its domain that matched an authority. */
public record DomainMatch(String domain, VirtualHost host) {
  private static final int EXACT = 3 << 24;
  private static final int SUFFIX = 2 << 24;
  private static final int PREFIX = 1 << 24;

  /**
   * Ranks how well {@code domain} matches {@code authority}, ignoring case; 0 for no match. Exact
   * domains are best, then suffixes, prefixes and {@code *} (A28-01). Longer suffixes and prefixes
   * match better. A star matches at least one character (A28-02).
   */
  public static int rank(String domain, String authority) {
    int star = domain.indexOf('*');
    int fixed = domain.length() - 1;
    if (star < 0) {
      return domain.equalsIgnoreCase(authority) ? EXACT : 0;
    }
    if (fixed == 0) {
      return 1;
    }
    if (fixed >= authority.length() || domain.indexOf('*', star + 1) >= 0) {
      return 0;
    }
    if (star == 0) {
      int start = authority.length() - fixed;
      return authority.regionMatches(true, start, domain, 1, fixed) ? SUFFIX + fixed : 0;
    }
    boolean isPrefix = star == fixed && authority.regionMatches(true, 0, domain, 0, fixed);
    return isPrefix ? PREFIX + fixed : 0;
  }
}
