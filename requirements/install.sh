#!/usr/bin/env bash
# Fills the virtual environment $1 with the set $2 (cpu, gpu, dev or hotshelf), showing progress.
# Run by the Makefile, which keeps a stamp for each, so that nothing is installed twice.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=$1 set=$2
pip=("$venv/bin/python" -m pip --disable-pip-version-check)
log=$venv/install-$set.log
torch_cpu_index=https://download.pytorch.org/whl/cpu

# install COUNT WHAT PIP-ARGUMENTS...: one line that counts packages (COUNT of them, 0 if unknown).
install() {
    local count=$1 what=$2 width=60 started=$SECONDS
    shift 2
    [ -t 1 ] || width=0
    if "${pip[@]}" install --no-input --progress-bar off "$@" 2>&1 | tee "$log" | awk \
        -v count="$count" -v what="$what" -v width="$width" '
        function show(text) {
            if (width) { printf "\r  %-*s", width, substr(text, 1, width) } else { print "  " text }
            fflush()
        }
        /^(Collecting|Requirement already satisfied:) / {
            seen++
            name = $1 == "Collecting" ? $2 : $4
            if (width || seen % 40 == 0)
                show(what ": " seen (count > 0 ? " of " count : "") " (" name ")")
        }
        /^Installing collected packages/ { show(what ": unpacking") }
        END { if (width) printf "\r%*s\r", width + 2, "" }'
    then
        echo "  $what: done in $((SECONDS - started)) s"
    else
        return 1
    fi
}

fail() {
    echo "hotshelf: could not install $1; pip's last words (all of them: $log):" >&2
    grep -E '^(ERROR|error)' "$log" >&2 || tail -n 5 "$log" >&2
    exit 1
}

packages() { grep -cE '^[A-Za-z0-9]' "$1"; }

case $set in
cpu)
    torch=$(grep '^torch==' requirements/cpu.lock)
    if ! install 1 "$torch" --no-deps "$torch"; then
        echo "  pip finds no $torch here; taking it from PyTorch's own CPU index"
        install 1 "$torch" --no-deps --index-url "$torch_cpu_index" "$torch" || fail "$torch"
    fi
    install "$(packages requirements/cpu.lock)" "the CPU set" \
        --no-deps -r requirements/cpu.lock || fail "the CPU set" ;;
gpu)
    install 0 "the GPU set" -r requirements/gpu.txt || fail "the GPU set" ;;
dev)
    install "$(packages requirements/dev.lock)" "the development tools" \
        --no-deps -r requirements/dev.lock || fail "the development tools" ;;
hotshelf)
    install 1 "hotshelf itself" --no-deps --no-build-isolation -e . || fail "hotshelf itself" ;;
*)
    echo "install.sh: unknown set '$set'" >&2
    exit 2 ;;
esac
