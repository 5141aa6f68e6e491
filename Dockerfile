# The program and nothing else: it is static, makes no connection and starts no other program.
FROM rust:1.95-alpine AS build
# No version, because the repositories of Alpine keep only the newest one.
# hadolint ignore=DL3018
RUN apk add --no-cache musl-dev
WORKDIR /src
COPY . .
RUN cargo build --locked --profile dist && mkdir -m 1777 /empty

FROM scratch
# Standard input is kept in a temporary file while it is read.
COPY --from=build /empty /tmp
COPY --from=build /src/target/dist/transcript-doctor /transcript-doctor
USER 65534:65534
WORKDIR /work
ENTRYPOINT ["/transcript-doctor"]
