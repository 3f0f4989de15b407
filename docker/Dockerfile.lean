# Environment with real Lean 4: elan, one toolchain, Pantograph's REPL, Mathlib from its cache. docker/README.md has the commands.
FROM python:3.11-slim AS lean

# One version for all: compiled modules are for one version of Lean only.
ARG LEAN=v4.34.0
ARG ELAN=v4.2.3
ARG ELAN_SHA256=df0b2b3a439961ffcbb3985214365ffe40f49bc871df04dff268c7d8e21ca8b2
ARG PYPANTOGRAPH=f8aee320ee5550ea2677e414534618a61e7e1497

SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
RUN apt-get update \
    && apt-get install --yes --no-install-recommends build-essential ca-certificates curl git \
    && rm -rf /var/lib/apt/lists/*
ENV ELAN_HOME=/opt/elan PATH=/opt/elan/bin:$PATH
WORKDIR /tmp/elan
RUN curl --fail --location --retry 3 --output elan.tar.gz \
        "https://github.com/leanprover/elan/releases/download/$ELAN/elan-x86_64-unknown-linux-gnu.tar.gz" \
    && echo "$ELAN_SHA256  elan.tar.gz" | sha256sum --check \
    && tar --extract --gzip --file elan.tar.gz \
    && ./elan-init -y --no-modify-path --default-toolchain "leanprover/lean4:$LEAN"

WORKDIR /opt/pantograph
RUN git clone https://github.com/stanford-centaur/PyPantograph . \
    && git checkout --quiet "$PYPANTOGRAPH" \
    && git submodule update --init --recursive
WORKDIR /opt/pantograph/src
RUN echo "leanprover/lean4:$LEAN" > lean-toolchain && lake build repl

WORKDIR /opt/proofs
COPY docker/lakefile.toml .
RUN echo "leanprover/lean4:$LEAN" > lean-toolchain \
    && sed --in-place "s/^rev = .*/rev = \"$LEAN\"/" lakefile.toml \
    && echo "import Mathlib" > Proofs.lean \
    && lake update \
    && lake exe cache get \
    && lake build

FROM python:3.11-slim

# bubblewrap is the sandbox of the prover; git is asked by lake.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap git \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 1000 prover && mkdir /runs && chown prover /runs
ENV ELAN_HOME=/opt/elan PATH=/opt/elan/bin:$PATH
COPY --from=lean /opt/elan /opt/elan
COPY --from=lean /opt/pantograph/src /opt/pantograph/src
COPY --from=lean --chown=prover /opt/proofs /opt/proofs
RUN ln -s /opt/pantograph/src/.lake/build/bin/repl /usr/local/bin/pantograph-repl
WORKDIR /opt/lean-gym
COPY pyproject.toml README.md LICENSE hatch_build.py ./
COPY lean_gym lean_gym
COPY lean_gym_cli lean_gym_cli
COPY lean_gym_verifiers lean_gym_verifiers
COPY minilean minilean
COPY trainers trainers
COPY envs_data envs_data
RUN pip install --no-cache-dir --extra-index-url https://download.pytorch.org/whl/cpu ".[train]"
COPY configs configs
COPY examples examples

USER 1000
WORKDIR /runs
CMD ["lean-gym", "doctor", "--project", "/opt/proofs", "--import", "Mathlib"]
