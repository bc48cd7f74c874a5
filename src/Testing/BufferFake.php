<?php

declare(strict_types=1);

namespace Headroom\Testing;

use Closure;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Append\CallbackWriter;
use Headroom\Spool\Append\OverflowHandlers;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Buffer;
use Headroom\Spool\OverflowPolicy;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;
use PHPUnit\Framework\Assert;
use Throwable;

/**
 * Records events instead of writing them to disk, for the tests of an application: docs/testing.md. The real buffer
 * encodes, redacts and rejects events as in production; only the settings `sample` and `enabled` are ignored.
 *
 * You name a bucket by its name, or by a model that uses BuffersWrites.
 */
final class BufferFake
{
    private readonly Buffer $buffer;

    private readonly FakedEvents $events;

    /** @var array<string, int> number of dropped events, by bucket */
    private array $dropped = [];

    private int $rejections = 0;

    private ?Throwable $nextFlush = null;

    /**
     * @internal
     *
     * @param OverflowHandlers $overflowHandlers the real ones
     * @param Buffer $real for buckets that are not faked
     * @param Closure(string): bool $isFaked gets the name of a bucket
     */
    public function __construct(
        private readonly AppendConfig $settings,
        private readonly OverflowHandlers $overflowHandlers,
        public readonly Buffer $real,
        private readonly Closure $isFaked,
    ) {
        $this->events = new FakedEvents($settings);
        $this->buffer = new Buffer(
            $settings->unsampled(),
            $this->writer(...),
            fn (): OverflowHandlers => new OverflowHandlers(
                $this->refused(...),
                function (string $bucket, string $payload): void {
                    $this->record($bucket, $payload);
                },
                $overflowHandlers->defer,
            ),
            $real->reportUndeclared(...),
        );
    }

    /** @internal */
    public function buffer(): Buffer
    {
        return $this->buffer;
    }

    /** @internal */
    public function isFaked(string $bucket): bool
    {
        return ($this->isFaked)($bucket);
    }

    /**
     * @param (callable(array<string, mixed>, string): bool)|null $filter gets the row and the bucket
     * @return list<array<string, mixed>> accepted rows, redacted; arrays as arrays, enums as their values, dates as
     * DateTimeImmutable
     */
    public function buffered(?string $bucket = null, ?callable $filter = null): array
    {
        return $this->events->rows($bucket === null ? null : self::name($bucket), $filter);
    }

    /**
     * @param (callable(array<string, mixed>, string): bool)|int|null $filter gets the row and the bucket; with a number
     * it is assertBufferedTimes()
     */
    public function assertBuffered(string $bucket, callable|int|null $filter = null): void
    {
        if (is_int($filter)) {
            $this->assertBufferedTimes($bucket, $filter);

            return;
        }

        Assert::assertNotSame(
            [],
            $this->buffered($bucket, $filter),
            "No event was buffered in '".self::name($bucket)."'".($filter === null ? '' : ' that the callback accepts')
                .". {$this->events->summary()}",
        );
    }

    public function assertBufferedTimes(string $bucket, int $times = 1): void
    {
        $count = count($this->buffered($bucket));

        Assert::assertSame(
            $times,
            $count,
            "{$count} events were buffered in '".self::name($bucket)."', not {$times}. {$this->events->summary()}",
        );
    }

    /** @param (callable(array<string, mixed>, string): bool)|null $filter */
    public function assertNotBuffered(string $bucket, ?callable $filter = null): void
    {
        $found = $this->buffered($bucket, $filter);

        Assert::assertSame(
            [],
            $found,
            count($found)." events were buffered in '".self::name($bucket)."'"
                .($filter === null ? '' : ' that the callback accepts').". {$this->events->summary()}",
        );
    }

    public function assertNothingBuffered(): void
    {
        Assert::assertSame([], $this->buffered(), "Events were buffered. {$this->events->summary()}");
    }

    /** @param ?int $events exact number; null means at least one */
    public function assertFlushed(?string $bucket = null, ?int $events = null): void
    {
        $name = $bucket === null ? null : self::name($bucket);
        $flushed = $this->events->flushed($name);
        $where = $name === null ? '' : " of '{$name}'";

        Assert::assertTrue(
            $events === null ? $flushed > 0 : $flushed === $events,
            ($events === null
                ? "No event{$where} was flushed"
                : "{$flushed} events{$where} were flushed, not {$events}")
                .". Call flush() of the fake; the bucket must be declared with a sink. {$this->events->summary()}",
        );
    }

    /**
     * @param int $events exact number of events that were dropped, because the buffer was full and the bucket's
     * overflow is drop
     */
    public function assertDropped(string $bucket, int $events = 1): void
    {
        Assert::assertSame(
            $events,
            $this->dropped[self::name($bucket)] ?? 0,
            "Not exactly {$events} events of '".self::name($bucket)."' were dropped. {$this->events->summary()}",
        );
    }

    /**
     * Makes the next calls find the disk full. They throw, as they would with a broken sink; a bucket whose overflow
     * is drop drops the events.
     */
    public function rejectWhenFull(int $calls = 1): self
    {
        $this->rejections = $calls;

        return $this;
    }

    /** @param ?Throwable $reason exception that flush() throws; an UnableToFlush by default */
    public function failNextFlush(?Throwable $reason = null): self
    {
        $this->nextFlush = $reason ?? SimulatedFlushFailure::ofTest();

        return $this;
    }

    /**
     * Delivers the buffered events to the sinks of their buckets, as the schedule does. Events that fail stay for the
     * next flush().
     *
     * @param ?string $bucket null flushes all buckets with a sink
     * @return int number of events
     *
     * @throws Throwable
     */
    public function flush(?string $bucket = null): int
    {
        $name = $bucket === null ? null : self::name($bucket);

        if ($this->nextFlush !== null) {
            [$reason, $this->nextFlush] = [$this->nextFlush, null];

            throw $reason;
        }

        $flushed = 0;

        foreach ($this->events->buckets() as $of) {
            if ($name === null ? $this->hasSink($of) : $of === $name) {
                $flushed += $this->deliver($of);
            }
        }

        return $flushed;
    }

    private function deliver(string $bucket): int
    {
        $unflushed = $this->events->unflushed($bucket);

        foreach (array_chunk($unflushed, $this->settings->whole()->bucket($bucket)->batch ?? 1000, true) as $batch) {
            ($this->overflowHandlers->deliver)($bucket, implode("\n", $batch), count($batch));
            $this->events->markFlushed(array_keys($batch));
        }

        return count($unflushed);
    }

    private function hasSink(string $bucket): bool
    {
        try {
            return $this->settings->whole()->bucket($bucket)?->hasNoSink() === false;
        } catch (HeadroomException) {
            return true; // the delivery throws the same exception
        }
    }

    private function writer(string $bucket): CallbackWriter
    {
        return new CallbackWriter(($this->isFaked)($bucket)
            ? function (string $payload) use ($bucket): void {
                $this->record($bucket, $payload);
            }
            : fn (string $payload, int $count) => $this->real->bucket($bucket)->append($payload, max(1, $count)));
    }

    private function record(string $bucket, string $payload): void
    {
        if ($this->rejections > 0) {
            $this->rejections--;

            throw UnableToAppend::wroteTooLittle(
                "(fake)/{$bucket}",
                0,
                strlen($payload),
                'No space left on device (requested by the test)',
            );
        }

        $this->events->record($bucket, $payload);
    }

    private function refused(string $bucket, UnableToAppend $e, string $payload, int $count): void
    {
        if ($this->settings->whole()->bucket($bucket)?->overflow !== OverflowPolicy::Drop) {
            throw $e;
        }

        $this->dropped[$bucket] = ($this->dropped[$bucket] ?? 0) + $count;
    }

    /**
     * The bucket of a model is the one that the model names.
     *
     * @internal
     */
    public static function name(string $bucket): string
    {
        $name = class_exists($bucket) && method_exists($bucket, 'bufferBucket') ? (new $bucket)->bufferBucket() : null;

        return is_string($name) ? $name : $bucket;
    }
}
