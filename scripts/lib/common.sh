# Shared by the scripts: where the project is, and which JDK and Maven build and run it.
# shellcheck shell=bash

# The folder of the checkout, whatever the working folder is and through whatever links the script was called.
project_root() {
  local self
  self=$(readlink -f "${BASH_SOURCE[0]}")
  readlink -f "${self%/*}/../.."
}

# True when the distribution is that of the sources, in the folder of the checkout. Folders are compared too, so that a
# deleted or renamed file counts as a change.
distribution_is_current() {
  local stamp=proxy/target/outrigger.stamp
  local sources=(pom.xml .mvn docker LICENSE docs/run/install.md config/pom.xml xds-client/pom.xml lb/pom.xml http2/pom.xml
    proxy/pom.xml config/src/main xds-client/src/main lb/src/main http2/src/main proxy/src/main)
  [ -f "$stamp" ] && [ -x proxy/target/outrigger/bin/outrigger ] \
    && [ -z "$(find "${sources[@]}" -newer "$stamp" -print -quit)" ]
}

# Prints the comment at the top of the running script, and ends, when one of the arguments asks for help.
answer_help() {
  local argument
  for argument in "$@"; do
    case $argument in
      -h | --help)
        sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    esac
  done
}

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

# Prints the major version of the JDK in folder $1, or nothing when there is none with a compiler.
jdk_major() {
  local version
  [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] || return 0
  version=$(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$1/release" 2>/dev/null)
  [ -n "$version" ] || version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p' | head -n 1)
  echo "${version%%[!0-9]*}"
}

# What decides which JDK is the newest that can be found, but for those in /usr/lib/jvm.
asked_jdk() {
  echo "${JAVA_HOME:-}:$PATH"
}

# Prints the home of the newest JDK, 17 or later, among JAVA_HOME, PATH and /usr/lib/jvm; nothing when there is none.
newest_jdk() {
  local best="" best_major=16 home major on_path
  on_path=$(command -v javac || true)
  [ -z "$on_path" ] || on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
  for home in ${JAVA_HOME:+"$JAVA_HOME"} ${on_path:+"$on_path"} /usr/lib/jvm/*; do
    major=$(jdk_major "$home")
    if [ "${major:-0}" -gt "$best_major" ]; then
      best=$home
      best_major=$major
    fi
  done
  echo "$best"
}

# True where packages can be installed without asking anybody.
can_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null
}

# Installs Debian packages, quietly, on stderr.
apt_install() {
  echo "installing $* with apt-get" >&2
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } >&2 \
    || fail "apt-get could not install $*; install them by hand"
}

# Makes sure of a JDK 17 or later and of Maven, and points JAVA_HOME at a JDK when the caller's is not one.
need_jdk_maven() {
  if [ -z "$(newest_jdk)" ]; then
    can_install || fail "a JDK 17 or later is missing; get one from https://adoptium.net or your package manager"
    apt_install openjdk-17-jdk-headless
  fi
  if ! command -v mvn >/dev/null; then
    can_install || fail "Maven 3.8 or later is missing; get it from https://maven.apache.org or your package manager"
    apt_install maven
  fi
  local major=0
  [ -z "${JAVA_HOME:-}" ] || major=$(jdk_major "$JAVA_HOME")
  if [ "${major:-0}" -lt 17 ]; then
    # Maven follows JAVA_HOME, else javac of PATH; the checks of the build are pinned to run on 17 and later.
    local compiler
    compiler=$(command -v javac || true)
    [ -z "$compiler" ] || compiler=$(dirname "$(dirname "$(readlink -f "$compiler")")")
    [ -z "$compiler" ] || major=$(jdk_major "$compiler")
    [ "${major:-0}" -ge 17 ] || compiler=$(newest_jdk)
    export JAVA_HOME=$compiler
  fi
}

# Compiles the tests and runs a main class among those of the proxy: $1 its JVM options, then class and arguments.
test_main() {
  compile_tests
  local options=$1
  shift
  # shellcheck disable=SC2086
  exec "${JAVA_HOME:?}/bin/java" $options -cp "$test_classpath" "$@"
}

# Compiles the tests of all modules; $test_classpath is then that of the proxy's. Goes to the project's root.
compile_tests() {
  need_jdk_maven
  cd "$(project_root)" || exit
  mkdir -p proxy/target
  local file=proxy/target/test-classpath
  local goals=(-DskipTests -pl proxy -am test-compile dependency:build-classpath)
  # Each module writes the file; the proxy is the last.
  goals+=(-Dmdep.includeScope=test "-Dmdep.outputFile=$PWD/$file")
  mvn -B -q -o -Dquick "${goals[@]}" >proxy/target/test-main.log 2>&1 || mvn -B -q -Dquick "${goals[@]}" >&2
  test_classpath=$PWD/proxy/target/test-classes:$PWD/proxy/target/classes:$(cat $file)
}
