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
 * bucket's `overflow` has dealt with it; when it throws, nothing of it was accepted.
 * Safe to call from any number of processes at once.
 *
 * No interface stands before it: it is the same for every store, and what differs is behind Writer.
 */
final class Buffer
{
    /** @internal */
    public const DEFAULT_BUCKET = 'default';

    /** @var array<string, Bucket> */
    private array $buckets = [];

    /** @var array<string, Writer> by bucket */
    private array $writers = [];

    private bool $keeping = false;

    /** @var ?Closure(): void */
    private ?Closure $whenKept = null;

    /** @var array<string, true> buckets that take events without being declared */
    private array $allowed = [self::DEFAULT_BUCKET => true];

    /** @var array<string, self> for direct() and afterCommit(), by connection */
    private array $others = [];

    /**
     * @internal
     *
     * @param Closure(string): Writer $open by a valid bucket name
     * @param ?Closure(): OverflowHandlers $detours without them a bucket throws
     * @param ?Closure(string): void $undeclared called when a bucket that is not declared is first asked for
     */
    public function __construct(
        private readonly AppendConfig $settings,
        private readonly Closure $open,
        private readonly ?Closure $detours = null,
        private readonly ?Closure $undeclared = null,
    ) {}

    /**
     * @internal
     *
     * @param ?Clock $clock null is the system's
     * @param ?Closure(): OverflowHandlers $detours
     * @param ?Closure(string): Writer $remote makes those of buckets that are not on this disk
     * @param ?Closure(string): void $undeclared
     */
    public static function onDisk(
        AppendConfig $settings,
        ?Clock $clock = null,
        ?FaultPoint $checkpoint = null,
        ?Closure $detours = null,
        ?Closure $remote = null,
        ?Closure $undeclared = null,
    ): self {
        return new self(
            $settings,
            static fn (string $bucket): Writer => $remote !== null && $settings->isOnRedis($bucket)
                ? $remote($bucket)
                : new SegmentWriter($settings, $bucket, $clock, $checkpoint),
            $detours,
            $undeclared,
        );
    }

    /**
     * For an application without Laravel, on the machine of what delivers its events: `headroom spool:work`, or a
     * collector. Events that the buffer can not take go nowhere else: the call throws, whatever `overflow` says.
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
     * @throws InvalidEvent the event can not be carried; nothing was written
     * @throws UnableToAppend neither the buffer nor, where the bucket's overflow sends it there, the sink could take it
     */
    public function buffer(array $event, ?string $bucket = null): void
    {
        $row = $event['payload'] ?? null;

        $this->bucket($bucket ?? self::DEFAULT_BUCKET)->add(is_array($row) && count($event) === 1 ? $row : $event);
    }

    /** @throws InvalidBucket its name is not allowed, or, in development and tests, it is not declared */
    public function bucket(string $name): Bucket
    {
        return $this->buckets[$name] ??= $this->settings->isPlain($name)
            ? new Bucket($this->opened($name), new Codec, $name, $this->detours)
            : $this->special($name);
    }

    /**
     * This bucket need not be declared: callbacks of the application deliver it.
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
    public function meetUndeclared(string $bucket): void
    {
        if ($this->undeclared !== null) {
            ($this->undeclared)($bucket);
        }
    }

    private function special(string $name): Bucket
    {
        $isExpected = isset($this->allowed[$name]) || ! $this->settings->isUndeclared(Bucket::validName($name));

        if (! $isExpected) {
            $this->meetUndeclared($name);
        }

        return new Bucket(
            $this->writer($name),
            new Codec($this->settings->utf8($name)),
            $name,
            $this->detours,
            $this->settings->intake($name),
        );
    }

    /**
     * Past the buffer: its events go straight to their sinks, within the call, and within the caller's transaction
     * where the sink can join it. When the call returns they are there; when it throws they are not. They are counted
     * as bypassed, apart from those that take the same way since the buffer can not take them.
     */
    public function direct(): self
    {
        return $this->others['direct'] ??= new self(
            $this->settings,
            fn (string $bucket): CallbackWriter => $this->past(Bucket::validName($bucket)),
            $this->detours,
            $this->undeclared,
        );
    }

    /**
     * Its events are buffered when the transaction that is open on the connection now is committed, the outermost one,
     * and forgotten when it, or the savepoint around the call, is rolled back. At once where none is open. What can not
     * be carried is refused by the call.
     *
     * @param ?string $connection null is the default one
     */
    public function afterCommit(?string $connection = null): self
    {
        $defer = $this->detours === null ? null : ($this->detours)()->defer;

        if ($defer === null) {
            return $this;
        }

        // What comes from there is encoded already, and what is refused then was settled here.
        return $this->others["afterCommit {$connection}"] ??= new self(
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
     * Keeps the open slot from the second event on until the callback ends: for loops in processes that live long.
     *
     * @template TResult
     *
     * @param callable(): TResult $work
     * @return TResult
     */
    public function hold(callable $work): mixed
    {
        $this->keep();

        try {
            return $work();
        } finally {
            $this->release();
        }
    }

    /**
     * Whoever calls this calls release() for sure.
     *
     * @internal
     *
     * @param ?Closure(): void $whenKept called each time a bucket begins to keep something:
     *     until then there is nothing to release
     */
    public function keep(?Closure $whenKept = null): void
    {
        $this->keeping = true;
        $this->whenKept = $whenKept;

        foreach ($this->writers as $writer) {
            $writer->keep($whenKept);
        }
    }

    /** @internal */
    public function release(): void
    {
        $this->keeping = false;
        $this->whenKept = null;

        foreach ($this->writers as $writer) {
            $writer->release();
        }
    }

    /**
     * What this process keeps would be busy for its own sealer.
     *
     * @internal
     */
    public function giveBack(string $bucket): void
    {
        $writer = $this->writers[$bucket] ?? null;
        $writer?->release();

        if ($this->keeping) {
            $writer?->keep($this->whenKept);
        }
    }

    private function writer(string $bucket): Writer
    {
        return $this->detours !== null && $this->settings->isBypassed($bucket)
            ? $this->past($bucket)
            : $this->opened($bucket);
    }

    private function opened(string $bucket): Writer
    {
        $writer = $this->writers[$bucket] = ($this->open)(Bucket::validName($bucket));

        if ($this->keeping) {
            $writer->keep($this->whenKept);
        }

        return $writer;
    }

    private function past(string $bucket): CallbackWriter
    {
        $deliver = $this->detours === null ? throw UnableToAppend::noSinks($bucket) : ($this->detours)()->deliver;

        return new CallbackWriter(static fn (string $payload, int $count) => $deliver($bucket, $payload, $count));
    }
}
