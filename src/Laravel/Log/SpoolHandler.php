<?php

declare(strict_types=1);

namespace Headroom\Laravel\Log;

use Closure;
use Headroom\Spool\Bucket;
use Headroom\Spool\InvalidEvent;
use Headroom\Support\HostName;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Monolog\Handler\AbstractHandler;
use Monolog\Handler\HandlerInterface;
use Monolog\Handler\ProcessableHandlerInterface;
use Monolog\Handler\ProcessableHandlerTrait;
use Monolog\Level;
use Monolog\LogRecord;
use Throwable;

/**
 * A Monolog handler that writes to a bucket of the buffer: docs/uses/logs.md. Each record becomes one event.
 *
 * Logging never breaks the application: nothing is thrown. A line that the buffer does not take goes to the fallback, and so
 * does what is logged while a line is being buffered, as the buffer's own warnings and the queries of a sink are.
 */
final class SpoolHandler extends AbstractHandler implements ProcessableHandlerInterface
{
    use ProcessableHandlerTrait;

    /** Bytes of a line in PHP's own log. */
    private const MOST_BYTES = 8_192;

    private bool $isBuffering = false;

    private bool $isFalling = false;

    private int $fallen = 0;

    private LogRow $rows;

    /**
     * @param Bucket|Closure(): Bucket $bucket a closure is asked for each record
     * @param string $source what the event's `source` says; empty is the machine's name
     * @param HandlerInterface|Closure(): HandlerInterface|null $fallback null is PHP's PhpRestrictions::call('error_log', )
     *
     * @phpstan-param value-of<Level::VALUES>|value-of<Level::NAMES>|Level|\Psr\Log\LogLevel::* $level
     */
    public function __construct(
        private readonly Bucket|Closure $bucket,
        int|string|Level $level = Level::Debug,
        bool $bubble = true,
        string $source = '',
        private readonly HandlerInterface|Closure|null $fallback = null,
    ) {
        parent::__construct($level, $bubble);
        $this->rows = new LogRow($source === '' ? HostName::own() : $source);
    }

    public function handle(LogRecord $record): bool
    {
        if (! $this->isHandling($record)) {
            return false;
        }

        $this->take([$record]);

        return ! $this->bubble;
    }

    /**
     * One write for all of them, as handlers that collect records want it.
     *
     * @param array<LogRecord> $records
     */
    public function handleBatch(array $records): void
    {
        $this->take(array_values(array_filter($records, $this->isHandling(...))));
    }

    /** Lines that went to the fallback since this handler was made. */
    public function fallen(): int
    {
        return $this->fallen;
    }

    /** @param list<LogRecord> $records */
    private function take(array $records): void
    {
        $why = 'it was logged while another line was being buffered';

        if (! $this->isBuffering) {
            $this->isBuffering = true;

            try {
                // What its processors throw is about the line, not about the application.
                $records = $this->processors === [] ? $records : array_map($this->processRecord(...), $records);
                $this->add($records);

                return;
            } catch (Throwable $e) {
                $why = $e->getMessage();
            } finally {
                $this->isBuffering = false;
            }
        }

        foreach ($records as $record) {
            $this->fall($record, $why);
        }
    }

    /**
     * @param list<LogRecord> $records
     *
     * @throws Throwable none of them was taken
     */
    private function add(array $records): void
    {
        $bucket = $this->bucket instanceof Closure ? ($this->bucket)() : $this->bucket;

        if (count($records) === 1) {
            $this->addOne($bucket, $records[0]);

            return;
        }

        try {
            $bucket->addMany(array_map($this->rows->of(...), $records));
        } catch (InvalidEvent) {
            // Together they are too many or too large, or one of them is.
            array_map(fn (LogRecord $record) => $this->addOrFall($bucket, $record), $records);
        }
    }

    private function addOrFall(Bucket $bucket, LogRecord $record): void
    {
        try {
            $this->addOne($bucket, $record);
        } catch (Throwable $e) {
            $this->fall($record, $e->getMessage());
        }
    }

    /** @throws Throwable */
    private function addOne(Bucket $bucket, LogRecord $record): void
    {
        try {
            $bucket->add($this->rows->of($record));
        } catch (InvalidEvent $e) {
            $bucket->add($e->isTooLarge ? $this->rows->short($record) : throw $e);
        }
    }

    private function fall(LogRecord $record, string $why): void
    {
        $this->fallen++;

        // The fallback may lead back to here.
        if ($this->fallback !== null && ! $this->isFalling) {
            $this->isFalling = true;

            try {
                $fallback = $this->fallback instanceof Closure ? ($this->fallback)() : $this->fallback;
                $fallback->handle($record->with(extra: [...$record->extra, 'not_buffered' => $why]));

                return;
            } catch (Throwable $e) {
                $why .= " The fallback failed as well: {$e->getMessage()}";
            } finally {
                $this->isFalling = false;
            }
        }

        $context = json_encode($this->rows->of($record)['context'], JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PARTIAL_OUTPUT_ON_ERROR);
        PhpRestrictions::call('error_log', TerminalText::name("{$record->channel}.{$record->level->getName()}: {$record->message} {$context}", self::MOST_BYTES)." (not buffered: {$why})");
    }
}
