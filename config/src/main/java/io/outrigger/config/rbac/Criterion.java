package io.outrigger.config.rbac;

import io.outrigger.base.CidrRange;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.StringMatcher;
import java.util.List;
import java.util.Optional;

/**
 * A condition on a request and its connection: a {@code Permission} or a {@code Principal} of A41.
 */
public sealed interface Criterion {
  Criterion ALWAYS = new Constant(true);

  /** Returns a criterion that matches if every criterion of a non-empty list matches. */
  static Criterion all(List<Criterion> criteria) {
    return criteria.size() == 1 ? criteria.get(0) : new All(criteria);
  }

  static Criterion any(List<Criterion> criteria) {
    return criteria.size() == 1 ? criteria.get(0) : new Any(criteria);
  }

  boolean matches(AuthorizationInput input);

  record Constant(boolean result) implements Criterion {
    @Override
    public boolean matches(AuthorizationInput input) {
      return result;
    }
  }

  /** Matches if every criterion of a non-empty list matches. */
  record All(List<Criterion> criteria) implements Criterion {
    public All {
      criteria = List.copyOf(criteria);
    }

    @Override
    public boolean matches(AuthorizationInput input) {
      for (int i = 0; i < criteria.size(); i++) { // avoids the iterator of a for-each loop
        if (!criteria.get(i).matches(input)) {
          return false;
        }
      }
      return true;
    }
  }

  /** Matches if at least one of {@code criteria} matches; without criteria, matches no request. */
  record Any(List<Criterion> criteria) implements Criterion {
    public Any {
      criteria = List.copyOf(criteria);
    }

    @Override
    public boolean matches(AuthorizationInput input) {
      for (int i = 0; i < criteria.size(); i++) { // avoids the iterator of a for-each loop
        if (criteria.get(i).matches(input)) {
          return true;
        }
      }
      return false;
    }
  }

  record Not(Criterion criterion) implements Criterion {
    @Override
    public boolean matches(AuthorizationInput input) {
      return !criterion.matches(input);
    }
  }

  /** Matches a header. A condition on {@code host} is applied to {@code :authority} (A41). */
  record Header(String name, HeaderMatcher matcher) implements Criterion {
    @Override
    public boolean matches(AuthorizationInput input) {
      return matcher.matches(input.header(name));
    }
  }

  record Path(StringMatcher matcher) implements Criterion {
    @Override
    public boolean matches(AuthorizationInput input) {
      return matcher.matches(input.urlPath());
    }
  }

  record PeerAddress(CidrRange range) implements Criterion {
    @Override
    public boolean matches(AuthorizationInput input) {
      return range.contains(input.connection().peerAddress());
    }
  }

  record LocalAddress(CidrRange range) implements Criterion {
    @Override
    public boolean matches(AuthorizationInput input) {
      return range.contains(input.connection().localAddress());
    }
  }

  record LocalPort(int start, int end) implements Criterion {
    @Override
    public boolean matches(AuthorizationInput input) {
      int port = input.connection().localPort();
      return port >= start && port < end;
    }
  }

  /**
   * Matches the name of a peer that is connected by TLS. If {@code name} is empty, every TLS
   * connection matches, even without a client certificate.
   */
  record Authenticated(Optional<StringMatcher> name) implements Criterion {
    @Override
    public boolean matches(AuthorizationInput input) {
      PeerIdentity peer = input.connection().peer();
      return name.isPresent() ? peer.matches(name.get()) : !(peer instanceof PeerIdentity.Plain);
    }
  }
}
