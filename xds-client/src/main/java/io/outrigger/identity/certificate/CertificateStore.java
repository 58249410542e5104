package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.tls.TlsSettings;
import io.outrigger.config.tls.TrustSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The certificate providers of the bootstrap; all clusters that name the same provider share its
 * certificates (A29 "Implementation Details"). After {@link #start}, the store reads files and
 * calls the Workload API, even if no cluster names a provider. Missing files are read once they
 * appear. The roots of the system (A82) are read and watched as soon as a cluster needs them.
 */
@ControlConfined
public final class CertificateStore {
  /** The instance name that observers and {@code /explain} use for the system's roots. */
  private static final String SYSTEM = "system";

  private static final Roots NO_ROOTS = new Roots.Authorities(List.of());

  private record Followed(
      CertificateProvider provider, CertificateSource source, CertificateReports reports) {
    void close() {
      source.close();
      reports.close();
    }
  }

  private final ControlLoop loop;
  private final Executor reading;
  private final CertificateObserver observer;
  private final RandomSource random;
  private final WorkloadApi workloads;
  private final IstioCaClient istioCas;
  private final Map<String, Followed> followed = new TreeMap<>();
  private final List<Watch> watches = new ArrayList<>();
  private final FileWatcher systemRoots;
  private boolean systemRootsAsked;

  /**
   * Creates a store without providers; {@link #start} adds them. May be called on any thread.
   *
   * @param executor runs tasks that may block
   * @param systemRootsFile the value of {@code SSL_CERT_FILE}
   */
  public CertificateStore(
      ControlLoop loop,
      Executor executor,
      RandomSource random,
      WorkloadApi workloads,
      IstioCaClient istioCas,
      Optional<String> systemRootsFile,
      CertificateObserver observer) {
    this.loop = loop;
    this.observer = observer;
    this.reading = executor;
    this.random = random;
    this.workloads = workloads;
    this.istioCas = istioCas;
    systemRoots =
        new FileWatcher(
            loop,
            executor,
            new ProviderFiles(CertificateFiles.NONE, Optional.of(new SystemRoots(systemRootsFile))),
            updatingWatches(new CertificateReports(loop, "roots of the system", SYSTEM, observer)));
  }

  /**
   * Watches the given providers, until {@link #close} or the next call of this method. Providers
   * that are equal to providers of the previous call are not restarted.
   */
  public void start(Map<String, CertificateProvider> providers) {
    loop.checkInside();
    for (Map.Entry<String, Followed> each : Map.copyOf(followed).entrySet()) {
      if (!each.getValue().provider().equals(providers.get(each.getKey()))) {
        each.getValue().close();
        followed.remove(each.getKey());
      }
    }
    providers.forEach(
        (instance, provider) -> {
          if (!followed.containsKey(instance)) {
            follow(instance, provider);
          }
        });
    updateWatches();
  }

  /**
   * Returns why a provider of this kind has not received its identity yet; empty if no provider of
   * this kind waits. If several wait, the first in the order of names is reported.
   */
  public Optional<String> lack(Class<? extends CertificateProvider> kind) {
    loop.checkInside();
    for (Map.Entry<String, Followed> each : followed.entrySet()) {
      Optional<String> reason = each.getValue().source().lack();
      if (kind.isInstance(each.getValue().provider()) && reason.isPresent()) {
        return Optional.of(named(each.getKey(), reason.get()));
      }
    }
    return Optional.empty();
  }

  static String named(String instance, String reason) {
    return "certificate provider \"%s\": %s".formatted(instance, reason);
  }

  private void follow(String instance, CertificateProvider provider) {
    var reports =
        new CertificateReports(loop, "certificate provider " + instance, instance, observer);
    CertificateSource.Listener listener = updatingWatches(reports);
    CertificateSource source;
    if (provider instanceof CertificateProvider.FileWatcher files) {
      source = new FileWatcher(loop, reading, new ProviderFiles(files.files()), listener);
    } else if (provider instanceof CertificateProvider.WorkloadApi api) {
      source = new WorkloadWatcher(loop, reading, random, workloads, api.endpoint(), listener);
    } else if (provider instanceof CertificateProvider.IstioCa ca) {
      source = new IstioCaWatcher(loop, reading, random, istioCas, ca, listener);
    } else {
      source = new CertificateSource.None("its plugin is not known here; use file_watcher");
    }
    followed.put(instance, new Followed(provider, source, reports));
    source.start();
  }

  /** A watch of the certificates and roots that one {@link TlsSettings} refers to. */
  public final class Watch {
    private final TlsSettings settings;
    private final Consumer<Outcome<TlsMaterial>> listener;
    private Outcome<TlsMaterial> last;
    private boolean closed;

    private Watch(TlsSettings settings, Consumer<Outcome<TlsMaterial>> listener) {
      this.settings = settings;
      this.listener = listener;
      this.last = CertificateStore.this.material(settings);
    }

    private void update() {
      Outcome<TlsMaterial> now = CertificateStore.this.material(settings);
      if (!closed && !isBeingRead() && !now.equals(last)) {
        last = now;
        listener.accept(now);
      }
    }

    /**
     * Whether a certificate or the roots are being read for the first time. The watch's listener is
     * called with the result of the read.
     */
    public boolean isBeingRead() {
      return CertificateStore.this.isBeingRead(settings);
    }

    public Outcome<TlsMaterial> material() {
      return last;
    }

    public void close() {
      loop.checkInside();
      closed = true;
      watches.remove(this);
    }
  }

  /**
   * Watches the certificates that the TLS settings need. {@link Watch#material} returns the current
   * certificates and roots.
   *
   * @param listener called on the control loop after each change, with the certificates and roots,
   *     or with the status UNAVAILABLE and the reason why some are missing
   */
  public Watch watch(TlsSettings settings, Consumer<Outcome<TlsMaterial>> listener) {
    loop.checkInside();
    if (!systemRootsAsked && settings.trust().orElse(null) instanceof TrustSource.SystemRoots) {
      systemRootsAsked = true;
      systemRoots.start();
    }
    var watch = new Watch(settings, listener);
    watches.add(watch);
    return watch;
  }

  private boolean isBeingRead(TlsSettings settings) {
    return settings.trust().filter(this::isUnread).isPresent()
        || settings.certificate().filter(this::isUnread).isPresent();
  }

  private boolean isUnread(TrustSource source) {
    return source instanceof TrustSource.Provider provider
        ? isUnread(provider.instance())
        : systemRoots.snapshot().isUnread();
  }

  private boolean isUnread(String instance) {
    Followed provider = followed.get(instance);
    return provider != null && provider.source().snapshot().isUnread();
  }

  private Outcome<TlsMaterial> material(TlsSettings settings) {
    Outcome<Roots> roots = settings.trust().map(this::roots).orElse(Outcome.ok(NO_ROOTS));
    Optional<Outcome<Identity>> identity =
        settings
            .certificate()
            .map(instance -> part(instance, CertificateSnapshot::identity, "certificate_file"));
    if (identity.isPresent() && !identity.get().isOk()) {
      return Outcome.failed(identity.get().status());
    }
    Optional<Identity> own = identity.flatMap(Outcome::toOptional);
    return roots.match(
        trusted -> Outcome.ok(new TlsMaterial(settings, own, trusted)), Outcome::failed);
  }

  private Outcome<Roots> roots(TrustSource source) {
    if (source instanceof TrustSource.Provider provider) {
      return part(provider.instance(), CertificateSnapshot::roots, "ca_certificate_file");
    }
    CertificateSnapshot known = systemRoots.snapshot();
    return known
        .roots()
        .map(Outcome::ok)
        .orElseGet(
            () ->
                Outcome.failed(
                    RpcStatus.unavailable(
                        known.error().orElse("the roots of the system are being read"))));
  }

  /**
   * Returns the identity or the roots of a provider, or the reason why they are missing.
   *
   * @param field the bootstrap field for this part; the reason names the field if it is not set
   */
  private <T> Outcome<T> part(
      String instance, Function<CertificateSnapshot, Optional<T>> part, String field) {
    Followed provider = followed.get(instance);
    String reason;
    if (provider == null) { // not expected: a cluster with an unknown provider is rejected
      reason = "is not available";
    } else {
      CertificateSnapshot snapshot = provider.source().snapshot();
      Optional<T> found = part.apply(snapshot);
      if (found.isPresent()) {
        return Outcome.ok(found.get());
      }
      reason =
          snapshot.loaded().isPresent() && snapshot.error().isEmpty()
              ? "has no " + field
              : snapshot.lack();
    }
    return Outcome.failed(RpcStatus.unavailable(named(instance, reason)));
  }

  private CertificateSource.Listener updatingWatches(CertificateReports reports) {
    return (before, now) -> {
      reports.onSnapshot(before, now);
      updateWatches();
    };
  }

  private void updateWatches() {
    List.copyOf(watches).forEach(Watch::update);
  }

  public List<CertificateView.Provider> view() {
    loop.checkInside();
    return followed.entrySet().stream()
        .map(
            each ->
                CertificateView.Provider.of(
                    each.getKey(),
                    each.getValue().provider().plugin(),
                    each.getValue().source().snapshot(),
                    loop.now()))
        .toList();
  }

  public void close() {
    loop.checkInside();
    watches.clear();
    followed.values().forEach(Followed::close);
    systemRoots.close();
  }
}
