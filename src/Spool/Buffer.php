<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Spool\Append\CallbackWriter;
use Headroom\Spool\Append\OverflowHandlers;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\FileStore\Segment\SegmentWriter;
use Headroom\Spool\Store\Writer;
use Headroom\Support\InvalidConfig;

use function count;
use function is_array;

/**
 * Accepts events. When a call returns, the event survives the death of any process and will be delivered, or the
 * bucket's `overflow` policy has handled it. When a call throws, none of its events was accepted. Any number of
 * processes can call it at once.
 *
 * It has no interface, because it is the same for every store. The stores differ behind Writer.
 */
final class Buffer
{
    /** @internal */
    public const DEFAULT_BUCKET = 'default';

    /** @var array<string, Bucket> */
    private array $buckets = [];

    /** @var array<string, Writer> by bucket */
    private array $writers = [];

    private bool $keepsOpen = false;

    /** @var ?Closure(): void */
    private ?Closure $whenOpened = null;

    /** @var array<string, true> buckets that take events without being declared */
    private array $allowed = [self::DEFAULT_BUCKET => true];

    /** @var array<string, self> the buffers of direct() and afterCommit() */
    private array $variants = [];

    /**
     * @internal
     *
     * @param Closure(string): Writer $open receives a valid bucket name
     * @param ?Closure(): OverflowHandlers $overflow null: a bucket throws when an append fails
     * @param ?Closure(string): void $undeclared called when a bucket that is not declared is first asked for
     */
    public function __construct(
        private readonly AppendConfig $settings,
        private readonly Closure $open,
        private readonly ?Closure $overflow = null,
        private readonly ?Closure $undeclared = null,
    ) {}

    /**
     * @internal
     *
     * @param ?Clock $clock null means the system clock
     * @param ?Closure(): OverflowHandlers $overflow
     * @param ?Closure(string): Writer $remote opens the writers of buckets that are not on this disk
     * @param ?Closure(string): void $undeclared
     * @param ?Closure(string, string): void $late see SegmentWriter
     */
    public static function onDisk(
        AppendConfig $settings,
        ?Clock $clock = null,
        ?FaultPoint $faultPoint = null,
        ?Closure $overflow = null,
        ?Closure $remote = null,
        ?Closure $undeclared = null,
        ?Closure $late = null,
    ): self {
        return new self(
            $settings,
            static fn (string $bucket): Writer => $remote !== null && $settings->isOnRedis($bucket)
                ? $remote($bucket)
                : new SegmentWriter($settings, $bucket, $clock, $faultPoint, $late),
            $overflow,
            $undeclared,
        );
    }

    /**
     * For an application without Laravel. `headroom spool:work` or a collector on the same machine delivers its events.
     * When the buffer cannot take events, the call throws, and the bucket's `overflow` is ignored.
     *
     * @param array<array-key, mixed> $config the section `spool` of headroom.php
     *
     * @throws InvalidConfig
     */
    public static function fromArray(array $config): self
    {
        $settings = AppendConfig::fromArray($config);

        return self::onDisk(
            $settings,
            remote: static fn (string $bucket): Writer => throw InvalidConfig::notAllowed(
                "spool.buckets.{$bucket}.store",
                'redis',
                'file: without Laravel events wait on this disk',
            ),
        );
    }

    /**
     * @param array<array-key, mixed> $event a row by column name, or ['payload' => row]
     *
     * @throws InvalidEvent the event cannot be encoded; nothing was written
     * @throws UnableToAppend the buffer could not take it, nor could the sink if the bucket's `overflow` is `direct`
     */
    public function buffer(array $event, ?string $bucket = null): void
    {
        $row = $event['payload'] ?? null;

        $this->bucket($bucket ?? self::DEFAULT_BUCKET)->add(is_array($row) && count($event) === 1 ? $row : $event);
    }

    /** @throws InvalidBucket the name is not allowed, or, in development and tests, the bucket is not declared */
    public function bucket(string $name): Bucket
    {
        return $this->buckets[$name] ??= $this->settings->isPlain($name)
            ? new Bucket($this->bufferedWriter($name), new Codec, $name, $this->overflow)
            : $this->configured($name);
    }

    /**
     * Accepts this bucket undeclared, because callbacks of the application deliver it.
     *
     * @internal
     */
    public function allow(string $bucket): self
    {
        $this->allowed[$bucket] = true;

        return $this;
    }

    /**
     * @internal
     *
     * @throws InvalidBucket
     */
    public function reportUndeclared(string $bucket): void
    {
        if ($this->undeclared !== null) {
            ($this->undeclared)($bucket);
        }
    }

    private function configured(string $name): Bucket
    {
        $isExpected = isset($this->allowed[$name]) || ! $this->settings->isUndeclared(Bucket::validName($name));

        if (! $isExpected) {
            $this->reportUndeclared($name);
        }

        return new Bucket(
            $this->writer($name),
            new Codec($this->settings->utf8($name)),
            $name,
            $this->overflow,
            $this->settings->filter($name),
        );
    }

    /**
     * Returns a buffer whose calls write events directly to their sinks, and within the caller's transaction if the
     * sink can join it. When such a call returns, the sink has the events. They are counted as bypassed, separately
     * from events that go to the sink because the buffer cannot take them.
     */
    public function direct(): self
    {
        return $this->variants['direct'] ??= new self(
            $this->settings,
            fn (string $bucket): CallbackWriter => $this->directWriter(Bucket::validName($bucket)),
            $this->overflow,
            $this->undeclared,
        );
    }

    /**
     * Returns a buffer that appends events when the outermost transaction of the connection commits, or at once when no
     * transaction is open. A rollback of the transaction, or of the savepoint around the call, discards them. The call
     * itself refuses events that cannot be encoded.
     *
     * @param ?string $connection null means the default one
     */
    public function afterCommit(?string $connection = null): self
    {
        $defer = $this->overflow === null ? null : ($this->overflow)()->defer;

        if ($defer === null) {
            return $this;
        }

        // The payload is encoded already. When the append fails at the commit, bucket() applies the overflow policy.
        return $this->variants["afterCommit {$connection}"] ??= new self(
            $this->settings,
            fn (string $bucket): CallbackWriter => new CallbackWriter(fn (
                string $payload,
                int $count,
            ) => $defer(fn () => $this->bucket($bucket)->append($payload, max(1, $count)), $connection)),
            fn (): OverflowHandlers => new OverflowHandlers(
                static fn (string $bucket, UnableToAppend $e) => throw $e,
                fn (string $bucket, string $payload, int $count)
                    => $defer(fn () => $this->direct()->bucket($bucket)->append($payload, max(1, $count)), $connection),
                $defer,
            ),
            $this->undeclared,
        );
    }

    /**
     * Keeps the active segment open from the second event until the callback ends, for loops in long-lived processes.
     *
     * @template TResult
     *
     * @param callable(): TResult $work
     * @return TResult
     */
    public function hold(callable $work): mixed
    {
        $this->keepSegmentsOpen();

        try {
            return $work();
        } finally {
            $this->closeSegments();
        }
    }

    /**
     * Every caller must call closeSegments(), also after an exception.
     *
     * @internal
     *
     * @param ?Closure(): void $whenOpened called each time a bucket begins to keep a segment open; before that there is
     *     nothing to release
     */
    public function keepSegmentsOpen(?Closure $whenOpened = null): void
    {
        $this->keepsOpen = true;
        $this->whenOpened = $whenOpened;

        foreach ($this->writers as $writer) {
            $writer->keepSegmentOpen($whenOpened);
        }
    }

    /** @internal */
    public function closeSegments(): void
    {
        $this->keepsOpen = false;
        $this->whenOpened = null;

        foreach ($this->writers as $writer) {
            $writer->closeSegment();
        }
    }

    /**
     * Closes the segment that this process keeps open, because a sealer cannot seal a locked segment. The next append
     * opens another one.
     *
     * @internal
     */
    public function releaseSegment(string $bucket): void
    {
        $writer = $this->writers[$bucket] ?? null;
        $writer?->closeSegment();

        if ($this->keepsOpen) {
            $writer?->keepSegmentOpen($this->whenOpened);
        }
    }

    private function writer(string $bucket): Writer
    {
        return $this->overflow !== null && $this->settings->isBypassed($bucket)
            ? $this->directWriter($bucket)
            : $this->bufferedWriter($bucket);
    }

    private function bufferedWriter(string $bucket): Writer
    {
        $writer = $this->writers[$bucket] = ($this->open)(Bucket::validName($bucket));

        if ($this->keepsOpen) {
            $writer->keepSegmentOpen($this->whenOpened);
        }

        return $writer;
    }

    private function directWriter(string $bucket): CallbackWriter
    {
        $deliver = $this->overflow === null ? throw UnableToAppend::noSink($bucket) : ($this->overflow)()->deliver;

        return new CallbackWriter(static fn (string $payload, int $count) => $deliver($bucket, $payload, $count));
    }
}
