package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.tls.UpstreamTls;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The certificates for connections to a control plane (A65): the identity and the roots of the
 * configured files. If no file of roots is configured, the system roots are used. After {@link
 * #follow}, changed files are read again; open connections keep their certificates.
 */
@AnyThread
public final class ControlPlaneCertificates {
  private final ProviderFiles files;
  private final FileWatcher.Check first;
  private volatile CertificateSnapshot current;

  /**
   * Reads the certificates for the first time. Blocks.
   *
   * @throws IllegalArgumentException if a file cannot be used; the message names the bootstrap
   *     field and the file
   */
  public ControlPlaneCertificates(CertificateFiles files, SystemRoots systemRoots) {
    this.files = new ProviderFiles(files, Optional.of(systemRoots));
    first = FileWatcher.check(this.files);
    current = CertificateSnapshot.NONE.after(first.reading().orElseThrow(), Instant.now());
    current
        .error()
        .ifPresent(
            failure -> {
              throw new IllegalArgumentException(failure);
            });
  }

  public TlsMaterial material(UpstreamTls settings) {
    CertificateSnapshot now = current;
    return new TlsMaterial(settings, now.identity(), now.roots().orElseThrow());
  }

  /**
   * Watches the files. Must be called on the control loop, once.
   *
   * @param executor runs tasks that may block
   * @param subject the beginning of each log line
   * @return the action that ends the watch; must run on the control loop
   */
  public Runnable follow(ControlLoop loop, Executor executor, String subject) {
    var reports = new CertificateReports(loop, subject, "", CertificateObserver.NONE);
    var watcher =
        new FileWatcher(
            loop,
            executor,
            files,
            (before, now) -> {
              current = now;
              reports.onSnapshot(before, now);
            });
    watcher.startAfter(first);
    return () -> {
      watcher.close();
      reports.close();
    };
  }
}
