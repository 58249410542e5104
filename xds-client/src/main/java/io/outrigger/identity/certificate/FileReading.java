package io.outrigger.identity.certificate;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The result of reading the files of a provider. The identity and the roots are each empty if the
 * bootstrap names no file for them.
 */
record FileReading(Optional<Outcome<Identity>> identity, Optional<Outcome<Roots>> roots) {
  interface Reader<T> {
    T read() throws UnusableFile;
  }

  /** Reads a Workload API response. If the identity or the roots are unusable, both are refused. */
  static FileReading whole(Reader<Identity> identity, Reader<Roots> roots) {
    Outcome<Identity> own = read(identity);
    Outcome<Roots> trusted = read(roots);
    return new FileReading(
        Optional.of(trusted.match(all -> own, Outcome::failed)),
        Optional.of(own.match(one -> trusted, Outcome::failed)));
  }

  static <T> Outcome<T> read(Reader<T> reader) {
    try {
      return Outcome.ok(reader.read());
    } catch (UnusableFile unusable) {
      Code code = unusable.mayBeUnfinished() ? Code.NOT_FOUND : Code.UNAVAILABLE;
      return Outcome.failed(new RpcStatus(code, unusable.reason()));
    }
  }

  Optional<String> failure() {
    String all = failures().map(RpcStatus::message).distinct().collect(Collectors.joining("; "));
    return Optional.of(all).filter(text -> !text.isEmpty());
  }

  Optional<String> unfinished() {
    return failures()
        .filter(status -> status.code() == Code.NOT_FOUND)
        .map(RpcStatus::message)
        .findFirst();
  }

  private Stream<RpcStatus> failures() {
    return Stream.of(identity.map(Outcome::status), roots.map(Outcome::status))
        .flatMap(Optional::stream)
        .filter(status -> !status.isOk());
  }
}
