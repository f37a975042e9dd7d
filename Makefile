# `make demo` and `make test` do all the set-up on a fresh machine with a Swift toolchain.

CORPUS ?= ../shared/corpus
SWIFT ?= swift
SANITIZE = --disable-default-traits --scratch-path .build-asan --sanitize=address \
	-Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined
TOOL = .build/release/imagetool
# SwiftPM's $ORIGIN in RUNPATH would load libraries from the program's own folder; a static Swift runtime needs none.
STATIC = --static-swift-stdlib --disable-local-rpath

.PHONY: demo test test-service build lint format asan tsan fuzz mutate corpus bench bench-peers bench-load bench-resize bench-thumb instructions peak soak budget docs check traits linkage linkage-tool fixtures check-encoders tool bootstrap bench-service check-thumbor check-nginx-tier check-guard-network service-tool demo-service check-gallery service-costs worst-inputs

demo: tool
	@$(TOOL)-bench demo Fixtures --sheet .build/contact-sheet.png

# With the thumbnail service, which the default traits leave out.
test: bootstrap
	@SWIFT=$(SWIFT) Scripts/test --traits default,Service

test-service: bootstrap
	@SWIFT=$(SWIFT) Scripts/test --traits default,Service --filter ThumbnailServiceTests

build: bootstrap
	$(SWIFT) build

tool: bootstrap
	@$(SWIFT) build -c release $(STATIC) --product imagetool
	@$(SWIFT) build -c release $(STATIC) --product imagetool-bench

bootstrap:
	@Scripts/bootstrap

lint:
	@Scripts/bootstrap lint
	Scripts/lint

format:
	@Scripts/bootstrap lint
	$(SWIFT) format -i -r Sources Tests Fuzz/Sources Benchmarks Package.swift Fuzz/Package.swift
	git ls-files 'Sources/*.[ch]' 'Tests/*.[ch]' 'Fuzz/*.c' | xargs clang-format -i

# Address and undefined-behaviour sanitizers over all decode tests, with no package but this one. Long models of what is
# Swift alone, and safe by the language, run without.
SWIFT_ALONE = MemoryCacheModelTests|AvailableMemoryTests|DecodeBudgetTests

asan: bootstrap
	LSAN_OPTIONS=suppressions=$(CURDIR)/Scripts/lsan.supp:print_suppressions=0 SWIFT=$(SWIFT) \
		Scripts/test $(SANITIZE) --skip '$(SWIFT_ALONE)'

# The loader's suites over scripts; those of the transport and of real servers need NIO.
TSAN_LOADING = Coalescing|Configuration|Load[A-Z]|Lookup|MemoryHit|PassThrough|Prefetch|RequestModifier|Resume
TSAN_PARTS = Credentials|ImageSlot|LaneSchedule|Negative|Redirect|RequestLanes|Retry

tsan: bootstrap
	@SWIFT=$(SWIFT) Scripts/test --traits Loader --scratch-path .build-tsan --sanitize=thread -Xswiftc -DTHREAD_SANITIZER \
		--filter 'DecodeQueue|MemoryCache|PlatformImageTests.ConcurrencyTests|LoaderTests.(Disk[A-Z]|$(TSAN_LOADING)|$(TSAN_PARTS))[A-Za-z]*Tests'

# SECONDS_EACH=600 a target, JOBS side by side.
fuzz: bootstrap
	CORPUS=$(CORPUS) Fuzz/run

# COUNT random cuts and flips over the corpus in a release build, with limits on time and memory.
mutate: tool
	CORPUS=$(CORPUS) Scripts/mutate

corpus: tool
	@CORPUS=$(CORPUS) Scripts/corpus

# Decoding against the plain C libraries, with a bar beside each ratio; writes Docs/benchmarks.
bench: tool
	@Scripts/bench

# The same pictures by Pillow, pyvips, OpenCV and imagecodecs, installed into an environment of their own.
bench-peers: tool
	@Scripts/bench-peers

# Instructions of a fixed set against stored figures: no clock is looked at. Needs valgrind.
instructions: bootstrap
	-@Scripts/bootstrap check
	@SWIFT=$(SWIFT) Scripts/instructions

# The most memory of full decodes, against the bounds.
peak: tool
	@Scripts/peak-memory

# CPU time and peak memory of the worst known file of each format, with bounds. ARGUMENTS='tiff gif' selects by name.
worst-inputs: tool
	@Scripts/worst-inputs $(ARGUMENTS)

# The loader against its HTTP client alone, on loopback.
bench-load: tool
	@Scripts/bench-load

# The resampler against Pillow's, and both against float64.
bench-resize: tool
	@Scripts/bench-resize

# Thumbnails against vipsthumbnail, Pillow, GraphicsMagick and ImageMagick, with a bar beside each figure.
bench-thumb: tool
	@Scripts/bench-thumb

# The tool with the thumbnail service, where the default traits leave it out, for the scripts below.
SERVICE_TOOL = .build-service/release/imagetool
SERVICE_BUILD = -c release $(STATIC) --traits default,Service --scratch-path .build-service

service-tool: bootstrap
	@$(SWIFT) build $(SERVICE_BUILD) --product imagetool
	@$(SWIFT) build $(SERVICE_BUILD) --product imagetool-bench

# The thumbnail service at work: a table of targets of both dialects, then the gallery until Ctrl-C.
demo-service: service-tool
	@$(SERVICE_TOOL)-bench demo-service

# The gallery's 1,000 pictures in headless Chromium. ARGUMENTS='--screenshots FOLDER' keeps what it looks like.
check-gallery: service-tool
	@Scripts/bootstrap gallery
	@IMAGETOOL=$(SERVICE_TOOL) Scripts/check-gallery $(ARGUMENTS)

# The thumbnail service against thumbor and nginx: CPU, latency, memory, with a bar beside each figure. ARGUMENTS=--write
# writes Docs/service-benchmarks.md.
bench-service: service-tool
	@IMAGETOOL=$(SERVICE_TOOL) Scripts/bench-service $(ARGUMENTS)

# CPU seconds and peak memory of the worst known requests to the service. ARGUMENTS='X5 X6' names some of them.
service-costs: service-tool
	@IMAGETOOL=$(SERVICE_TOOL) Scripts/service-costs $(ARGUMENTS)

# The answers of the service against thumbor's: status, size, format and pixels of the same targets.
check-thumbor: service-tool
	@IMAGETOOL=$(SERVICE_TOOL) Scripts/check-thumbor

# deploy/nginx.conf with two instances, one of which is killed under load.
check-nginx-tier: service-tool
	@IMAGETOOL=$(SERVICE_TOOL) Scripts/check-nginx-tier

# Network namespaces with hosts outside and inside: no packet may reach the inside. Needs root.
check-guard-network: service-tool
	@IMAGETOOL=$(SERVICE_TOOL) Scripts/check-guard-network

# 200,000 loads with random cancels: memory, descriptors and tables afterwards.
soak: tool
	@Scripts/soak

# 200 decodes of 12 megapixels at once: the peak of resident memory against budget and cache.
budget: tool
	@Scripts/budget

docs:
	PLATFORMIMAGE_DOCS=1 $(SWIFT) package --traits Loader --scratch-path .build-docs generate-documentation \
		--target PlatformImage --target PlatformImageLoader --enable-experimental-combined-documentation

# Everything that CI runs, and the combinations that it has no time for.
check: lint test traits linkage linkage-tool asan tsan corpus instructions

# A user without traits resolves nothing; debug and release both compile without warnings.
traits: bootstrap
	Scripts/traits

linkage: bootstrap
	Scripts/linkage

# Both tools are linked with full RELRO and without a search path of their own.
linkage-tool: tool
	Scripts/linkage tool

# What the encoders write, read by Pillow and djpeg.
check-encoders: bootstrap
	@Scripts/check-encoders

fixtures:
	python3 Fixtures/make/make.py --check
